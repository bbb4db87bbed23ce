// Paths, queries and the names for metrics and messages, from a Kind.
import { type Kind, type KubeObject, keyOf, resourceOf } from '../objects/kinds.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `/apis/policy/v1/namespaces/default/poddisruptionbudgets`; without a namespace the whole cluster's. */
export function collectionPath(kind: Kind<KubeObject>, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${kind.plural}`;
}

/** @throws TypeError for a namespaced kind without a namespace: it would name something else */
export function objectPath(
  kind: Kind<KubeObject>,
  ref: { readonly namespace?: string | undefined; readonly name: string },
  subresource?: string,
): string {
  if (kind.namespaced && !ref.namespace) throw new TypeError(`${kind.kind} ${ref.name}: the namespace is missing`);
  if (ref.name === '') throw new TypeError(`${kind.kind}: the name is missing`);
  const path = `${collectionPath(kind, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function withQuery(path: string, query: Query): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** `pods default/demo-0`; `pods in default`; `pods`. */
export function subjectOf(
  kind: Kind<KubeObject>,
  ref: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): string {
  if (ref.name !== undefined) return `${kind.plural} ${keyOf({ namespace: ref.namespace, name: ref.name })}`;
  return ref.namespace === undefined ? kind.plural : `${kind.plural} in ${ref.namespace}`;
}

/** `pods`, `marekvsnodes.marekvs.io/status`: bounded, for metric labels. */
export function metricResource(kind: Kind<KubeObject>, subresource?: string): string {
  return subresource === undefined ? resourceOf(kind) : `${resourceOf(kind)}/${subresource}`;
}
