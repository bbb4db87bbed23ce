// The values that make of the chart what a folder of config/ makes of kustomize: read from that folder, so that the two cannot part.

import { parse } from 'yaml';
import { defaultOf } from './defaults.ts';
import type { Source } from './source.ts';
import { DEPLOYMENT, OWN_NAMESPACE, TOGGLES, VALUES } from './values.ts';
import type { Path } from './yaml-text.ts';

export interface Profile {
  /** `ha`: the file is values-ha.yaml. */
  readonly name: string;
  readonly folder: string;
  readonly description: string;
}

export const PROFILES: readonly Profile[] = [
  {
    name: 'ha',
    folder: 'config/ha',
    description: 'Three replicas, never two on one host, and not the first to go when hosts are short.',
  },
  {
    name: 'namespaced',
    folder: 'config/namespaced',
    description:
      'For the namespace it is installed into, with the two kinds: nothing else reaches beyond the namespace but roles for people.',
  },
  {
    name: 'team',
    folder: 'config/namespaced/operator',
    description:
      'The same for whoever has the role admin in one namespace and nothing else; the kinds are there already.',
  },
];

/** Only what differs from values.yaml, by the names of the values. */
export function profileValues(source: Source, folder: string): ReadonlyMap<string, unknown> {
  const folders = source.foldersOf(folder);
  const patches = source.patchesOf(folder).map(({ text }): unknown => parse(text));
  const found = new Map<string, unknown>();
  for (const toggle of TOGGLES) {
    const isOn = folders.has(toggle.folder);
    if (isOn !== isOnByDefault(source, toggle.folder)) found.set(`${toggle.name}.enabled`, isOn);
  }
  if (folders.has('config/rbac-namespaced')) found.set('watchNamespaces', [OWN_NAMESPACE]);
  for (const { name, source: from } of VALUES) {
    const at = from?.file === DEPLOYMENT ? from.at : POD_FIELDS[name];
    if (at === undefined) continue;
    for (const patch of patches) {
      const value = withoutDirectives(lookUp(patch, at));
      if (value !== undefined && JSON.stringify(value) !== JSON.stringify(defaultOf(source, name)))
        found.set(name, value);
    }
  }
  return found;
}

export function isOnByDefault(source: Source, folder: string): boolean {
  return source.foldersOf('config/default').has(folder);
}

/** Values without a default in config/, where a patch may give one. */
const POD_FIELDS: Readonly<Record<string, Path>> = Object.fromEntries(
  ['priorityClassName', 'nodeSelector', 'tolerations', 'affinity'].map((name) => [
    name,
    ['spec', 'template', 'spec', name],
  ]),
);

/** `$patch: replace` as the first entry of a list says what is the case here anyway. */
function withoutDirectives(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.filter((entry) => lookUp(entry, ['$patch']) === undefined);
}

function lookUp(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null ? Object.entries(at).find(([key]) => key === String(step))?.[1] : undefined,
    value,
  );
}
