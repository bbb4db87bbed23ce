// The manifest by which krew finds the plugin, made from the plugin's package and its npm tarball. Pure.

import type { Manifest } from '../npm/manifest.ts';

export interface KrewArchive {
  /** The URL of the tarball. */
  readonly uri: string;
  readonly sha256: string;
}

/** As in `kubectl mkv`. The manifest's file has to be called the same, which krew checks. */
export const KREW_NAME = 'mkv';

/** Where npm puts the files of a package in a tarball. */
const IN_TARBALL = 'package';

/** @throws Error when the package is not one program with a description */
export function krewManifest({ version, description, engines, bin = {} }: Manifest, archive: KrewArchive): object {
  const [[name, program] = [], ...others] = Object.entries(bin);
  if (name !== `kubectl-${KREW_NAME}` || program === undefined || others.length > 0)
    throw new Error(`a plugin of krew is one program, kubectl-${KREW_NAME}; the package has ${Object.keys(bin)}`);
  const file = program.split('/').at(-1);
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: KREW_NAME },
    spec: {
      version: `v${version}`,
      shortDescription: 'What a marekvs cluster does, and why it waits',
      description: `${text(description)}\nkubectl mkv --help lists the commands.`,
      caveats: `Needs Node ${nodeOf(engines)} or newer as node in PATH.`,
      platforms: [
        {
          // The program starts by its shebang line.
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['linux', 'darwin'] }] },
          uri: archive.uri,
          sha256: archive.sha256,
          bin: file,
          files: [
            { from: `${IN_TARBALL}/${program}`, to: '.' },
            { from: `${IN_TARBALL}/LICENSE`, to: '.' },
          ],
        },
      ],
    },
  };
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error('the package has no description');
  return value;
}

/** `>=20.16` gives 20.16. */
function nodeOf(engines: unknown): string {
  const node = typeof engines === 'object' && engines !== null && 'node' in engines ? String(engines.node) : '';
  const [, version] = /^>=(\d+(?:\.\d+)*)$/.exec(node) ?? [];
  if (version === undefined) throw new Error(`engines.node says ${JSON.stringify(node)}, not a version or newer`);
  return version;
}
