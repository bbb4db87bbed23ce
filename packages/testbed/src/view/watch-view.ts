// Follows clusters, nodes and events, and calls back when anything shown has changed.
// render.ts lays it out, draw.ts draws it.
import { API_VERSION, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import {
  createReflector,
  defineKind,
  events as eventKind,
  type Identified,
  type Kind,
  type KubeObject,
  type Transport,
} from '@marekvs/runtime';
import type { Snapshot } from './render.ts';
import { clusterRow, eventRow, nodeRow } from './rows.ts';

const clusterKind: Kind<MarekvsCluster & KubeObject> = defineKind(API_VERSION, 'MarekvsCluster');
const nodeKind: Kind<MarekvsNode & KubeObject> = defineKind(API_VERSION, 'MarekvsNode');

const OUR_KINDS: ReadonlySet<string> = new Set([clusterKind.kind, nodeKind.kind]);

export interface WatchedView {
  snapshot(): Snapshot;
  cluster(key: string): MarekvsCluster | undefined;
  stop(): Promise<void>;
}

export async function watchView(transport: Transport, onChange: () => void): Promise<WatchedView> {
  const stopped = new AbortController();
  const clusters = createReflector({ transport, kind: clusterKind, project: keep, onChange });
  const nodes = createReflector({ transport, kind: nodeKind, project: keep, onChange });
  const events = createReflector({
    transport,
    kind: eventKind,
    project: keep,
    onChange,
  });
  const all = [clusters, nodes, events];
  const running = all.map((one) => one.run(stopped.signal));
  await Promise.all(all.map((one) => one.synced));
  return {
    snapshot: () => ({
      clusters: Array.from(clusters.store.values(), (one) => clusterRow(one.object)),
      nodes: Array.from(nodes.store.values(), (one) => nodeRow(one.object)),
      events: Array.from(events.store.values(), (one) => one.object)
        .filter((one) => OUR_KINDS.has(one.regarding?.kind ?? ''))
        .map(eventRow),
    }),
    cluster: (key) => clusters.store.get(key)?.object,
    async stop() {
      stopped.abort();
      await Promise.allSettled(running);
    },
  };
}

function keep<T extends KubeObject>(object: T): Identified & { readonly object: T } {
  const { namespace, name = '', uid = '', resourceVersion = '' } = object.metadata;
  return { namespace, name, uid, resourceVersion, object };
}
