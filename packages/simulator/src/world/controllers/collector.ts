// The parts of the controller manager that matter to our clusters: garbage collection by owners, binding of claims,
// protection of claims that a Pod uses, and deletion of namespaces. Each acts after a delay, as the real ones do.

import type { VirtualClock } from '../../memory/virtual-clock.ts';
import { NAMESPACES, ORPHAN, PVC_PROTECTION } from '../api-server/api-kinds.ts';
import { isSame } from '../api-server/api-merge.ts';
import { type ApiObject, apiKey } from '../api-server/api-object.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';
import { growClaims, sizeOf } from './claim-growth.ts';

export interface CollectorOptions {
  readonly server: MemoryApiServer;
  readonly clock: VirtualClock;
  readonly random: () => number;
}

const CLAIMS = 'persistentvolumeclaims';
/** The namespace controller waits this long for servers that do not know of the deletion yet. */
const NAMESPACE_GRACE_MS = 5_000;
const NAMESPACE_RETRY_MS = 8_000;

export function startCollector({ server, clock, random }: CollectorOptions): void {
  let isPlanned = false;

  /** Plans a pass over everything; requests until then share it. */
  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    clock.after(100 + random() * 400, () => {
      isPlanned = false;
      orphan();
      collect();
      protect();
    });
  }

  /** Before an object with the orphan finalizer goes, removes the owner references to it. */
  function orphan(): void {
    for (const [resource, { metadata }] of [...server.everything()]) {
      const { uid, deletionTimestamp, finalizers = [] } = metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(ORPHAN)) continue;
      for (const [of, owned] of [...server.everything()]) {
        const { ownerReferences = [] } = owned.metadata;
        const left = ownerReferences.filter((owner) => owner.uid !== uid);
        if (left.length === ownerReferences.length) continue;
        server.patch(of, owned.metadata, { metadata: { ownerReferences: left } });
      }
      server.patch(resource, metadata, { metadata: { finalizers: finalizers.filter((name) => name !== ORPHAN) } });
    }
  }

  function collect(): void {
    const homes = new Map([...server.everything()].map(([, { metadata }]) => [metadata.uid, metadata.namespace]));
    for (const [resource, object] of [...server.everything()]) {
      const { ownerReferences = [], uid, deletionTimestamp, namespace } = object.metadata;
      // An owner in another namespace counts as missing.
      const isThere = (owner: string) => homes.has(owner) && (homes.get(owner) ?? namespace) === namespace;
      const living = ownerReferences.filter((owner) => isThere(owner.uid));
      if (ownerReferences.length === living.length || deletionTimestamp !== undefined) continue;
      if (living.length === 0) server.remove(resource, object.metadata, { uid });
      else server.patch(resource, object.metadata, { metadata: { ownerReferences: living } });
    }
  }

  function protect(): void {
    const used = new Set(server.list('pods').map(claimKeyOf));
    for (const claim of server.list(CLAIMS)) {
      const { deletionTimestamp, finalizers = [] } = claim.metadata;
      if (deletionTimestamp === undefined || !finalizers.includes(PVC_PROTECTION)) continue;
      if (used.has(apiKey(claim.metadata))) continue;
      const left = finalizers.filter((name) => name !== PVC_PROTECTION);
      server.patch(CLAIMS, claim.metadata, { metadata: { finalizers: left } });
    }
  }

  function bind(claim: ApiObject): void {
    clock.after(50 + random() * 250, () => {
      const live = server.find(CLAIMS, claim.metadata);
      if (live?.metadata.uid !== claim.metadata.uid || live.status?.phase === 'Bound' || isClassMissing(live)) return;
      server.patch(CLAIMS, live.metadata, { spec: { volumeName: `pv-${live.metadata.uid}` } });
      server.patch(CLAIMS, live.metadata, { status: { phase: 'Bound', ...sizeOf(live) } }, 'status');
    });
  }

  const grow = growClaims({ server, clock, random });

  /** Deletes the content of a namespace, and then the namespace itself; waits for objects with finalizers. */
  function empty(name: string, delayMs: number): void {
    clock.after(delayMs, () => {
      if (server.find(NAMESPACES, { name })?.metadata.deletionTimestamp === undefined) return;
      const content = [...server.everything()].filter(([, object]) => object.metadata.namespace === name);
      if (content.length === 0) {
        server.finalizeNamespace(name);
        return;
      }
      for (const [resource, { metadata }] of content) server.remove(resource, metadata, { uid: metadata.uid });
      empty(name, NAMESPACE_RETRY_MS);
    });
  }

  server.onEvent(({ type, resource, object, previous }) => {
    if (resource === NAMESPACES && type === 'MODIFIED') empty(object.metadata.name, NAMESPACE_GRACE_MS);
    if (type === 'ADDED' && resource === CLAIMS) bind(object);
    if (type === 'MODIFIED' && resource === CLAIMS) grow(object);
    const { ownerReferences } = object.metadata;
    const isOwnedAnew = ownerReferences !== undefined && !isSame(ownerReferences, previous?.metadata.ownerReferences);
    const isLeaving = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
    if (isLeaving || isOwnedAnew) plan();
  });
}

/** `namespace/name` of the claim that a Pod on a host mounts, whatever its containers do; `` when there is none. */
function claimKeyOf(pod: ApiObject): string {
  const name = claimNameOf(pod);
  if (name === undefined || pod.spec?.nodeName === undefined) return '';
  return apiKey({ namespace: pod.metadata.namespace, name });
}

/** No volume is provisioned for a missing class: here one whose name begins with `missing`. */
export function isClassMissing({ spec }: ApiObject): boolean {
  return String(spec?.storageClassName ?? '').startsWith('missing');
}

export function claimNameOf(pod: ApiObject): string | undefined {
  const spec = pod.spec as
    | { readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[] }
    | undefined;
  return spec?.volumes?.find((volume) => volume.persistentVolumeClaim !== undefined)?.persistentVolumeClaim?.claimName;
}
