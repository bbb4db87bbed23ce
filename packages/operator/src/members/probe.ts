// Asks one member once and says what it answered, in the planner's words. The only place where the operator talks to members.
// Reads only; a member that does not answer in time is an answer too.

import type { ViewLine } from '@marekvs/planner';
import {
  digestOfNodes,
  type MemberAddress,
  type MemberLine,
  type MemberMetrics,
  StoreAuthError,
  type StoreClient,
  type StoreError,
  StoreUnreachableError,
} from '@marekvs/store-client';

/** What one question brought. `serving` carries the member's own list; `joining` means it runs and serves no commands yet. */
export type ProbeResult =
  | {
      readonly kind: 'serving';
      readonly view: readonly ViewLine[];
      readonly digest: string;
      readonly metrics: MemberMetrics | undefined;
    }
  | { readonly kind: 'joining'; readonly metrics: MemberMetrics }
  | { readonly kind: 'silent'; readonly error: string; readonly isUnauthorized: boolean; readonly isInvalid: boolean };

/** What is known of a member that served when it was last asked. */
export interface KnownMember {
  readonly view: readonly ViewLine[];
  readonly digest: string;
  readonly metrics: MemberMetrics;
}

/** @param known given when a brief look is enough: the list of members is asked for only if the figures say that it may have changed */
export type Probe = (address: MemberAddress, signal: AbortSignal, known?: KnownMember) => Promise<ProbeResult>;

/** A probe over the member's metrics port and RESP port. Rejects only when `signal` is aborted.
 *  The RESP port opens once a member is Active (marekvs.md 3), so a refused connection there means joining. */
export function createProbe(store: StoreClient): Probe {
  return async (address, signal, known) => {
    const brief = known === undefined ? undefined : await briefLook(store, address, signal, known);
    if (brief !== undefined) return brief;
    const { metrics, view } = await store.poll(address, { signal });
    if (view.kind === 'answered') {
      return {
        kind: 'serving',
        view: view.value.nodes.map(toViewLine),
        digest: digestOfNodes(view.value.nodes),
        metrics: metrics.kind === 'answered' ? metrics.value : undefined,
      };
    }
    if (metrics.kind === 'failed') return silent(metrics.error);
    if (view.error instanceof StoreUnreachableError && view.error.reason === 'refused') {
      return { kind: 'joining', metrics: metrics.value };
    }
    return silent(view.error);
  };
}

/** The same member in the same membership, by its own figures; undefined when the whole question has to be asked. */
async function briefLook(
  store: StoreClient,
  address: MemberAddress,
  signal: AbortSignal,
  { view, digest, metrics: before }: KnownMember,
): Promise<ProbeResult | undefined> {
  const metrics = await store.metrics(address, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (metrics === undefined) return undefined;
  const isSame =
    metrics.nodeId === before.nodeId &&
    metrics.clusterMembers === before.clusterMembers &&
    metrics.ownedPartitions === before.ownedPartitions &&
    (metrics.upSeconds ?? 0) >= (before.upSeconds ?? 0);
  return isSame ? { kind: 'serving', view, digest, metrics } : undefined;
}

function toViewLine(line: MemberLine): ViewLine {
  return { id: line.id, generation: line.generation, hasPrimaries: line.primarySlots > 0 };
}

function silent(error: StoreError): ProbeResult {
  return {
    kind: 'silent',
    error: error.message,
    isUnauthorized: error instanceof StoreAuthError,
    isInvalid: !(error instanceof StoreUnreachableError) && !(error instanceof StoreAuthError),
  };
}
