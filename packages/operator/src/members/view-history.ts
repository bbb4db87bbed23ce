// Remembers since when the answers of a cluster's members have been equal, or different. A cache: after a restart it
// starts again.

import { agreeOnMembership, type NodeRecord, type ViewHistory, viewKey } from '@marekvs/planner';

export interface ViewHistories {
  /** Records the present answers and returns how long they have been like this. `nowMs` is monotonic. */
  note(clusterKey: string, nodes: readonly NodeRecord[], nowMs: number): ViewHistory;
  forget(clusterKey: string): void;
}

export function createViewHistories(): ViewHistories {
  const since = new Map<string, { shape: string; sinceMs: number }>();
  return {
    note(clusterKey, nodes, nowMs) {
      const shape = shapeOf(nodes);
      const known = since.get(clusterKey);
      const entry = known?.shape === shape ? known : { shape, sinceMs: nowMs };
      since.set(clusterKey, entry);
      const forMs = nowMs - entry.sinceMs;
      if (shape === 'different') return { agreedForMs: undefined, differForMs: forMs };
      return { agreedForMs: shape.startsWith('agreed') ? forMs : undefined, differForMs: undefined };
    },
    forget: (clusterKey) => void since.delete(clusterKey),
  };
}

function shapeOf(nodes: readonly NodeRecord[]): string {
  const membership = agreeOnMembership(nodes);
  if (membership.kind === 'agreed') return `agreed ${viewKey(membership.lines)}`;
  if (membership.kind === 'unknown' && membership.reason === 'ViewsDisagree') return 'different';
  return membership.kind;
}
