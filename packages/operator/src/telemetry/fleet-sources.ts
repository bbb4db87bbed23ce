// Assembles the sources of the fleet metrics: the caches, the sampler, the two controllers and the right to act.

import type { MarekvsCluster, MarekvsNode } from '@marekvs/api';
import {
  type Clock,
  type Controller,
  type ControllerHooks,
  type Grant,
  keyOf,
  type PassResult,
} from '@marekvs/runtime';
import type { Caches } from '../caches/caches.ts';
import type { Sampler } from '../members/sampler.ts';
import type { TurnPlaces } from '../operations/turn-places.ts';
import type { FleetSources } from './fleet.ts';
import { FAILURE_REASONS, type Failing, type FailureReason } from './problems.ts';

export interface PassWatch {
  /** The hooks of a controller, with ours added. */
  hooks(controller: string, others: ControllerHooks): ControllerHooks;
  sources(parts: FleetParts): FleetSources;
}

export interface FleetParts {
  readonly caches: Caches;
  readonly sampler: Sampler;
  readonly turns: TurnPlaces;
  readonly controllers: readonly Controller[];
  readonly grant: (key: string) => Grant | undefined;
}

const CLUSTERS = 'marekvscluster';

export function createPassWatch(clock: Clock): PassWatch {
  const ofClusters = createFailingPasses(clock);
  const ofNodes = createFailingPasses(clock);
  return {
    hooks: (controller, others) => ({
      ...others,
      finished(result, durationMs, key) {
        others.finished?.(result, durationMs, key);
        (controller === CLUSTERS ? ofClusters : ofNodes).ended(key, result);
      },
    }),
    sources({ caches, sampler, turns, controllers, grant }) {
      /** A node whose passes fail keeps its cluster from its desired state. Failing passes of the cluster itself take
       *  precedence. */
      function failing(): ReadonlyMap<string, Failing> {
        const found = new Map<string, Failing>();
        for (const [key, one] of ofNodes.all()) {
          const view = caches.nodes.store.get(key);
          if (view?.owner.kind === 'cluster') found.set(`${view.namespace}/${view.object.spec.clusterName}`, one);
        }
        for (const [key, one] of ofClusters.all()) found.set(key, one);
        return found;
      }
      return {
        *clusters(): Generator<MarekvsCluster> {
          for (const view of caches.clusters.store.values()) if (grant(keyOf(view)) !== undefined) yield view.object;
        },
        *nodes(): Generator<MarekvsNode> {
          for (const { owner, object } of caches.nodes.store.values())
            if (owner.kind === 'cluster' && grant(keyOf(owner.cluster)) !== undefined) yield object;
        },
        members: sampler.followed,
        turns: turns.figures,
        failing,
        lastSuccessAtMs: (clusterKey) =>
          controllers
            .find(({ name }) => name === CLUSTERS)
            ?.inspect()
            .lastSuccessAtMs(clusterKey),
      };
    },
  };
}

// Remembers which keys fail pass after pass, and since when. A key that succeeds once is forgotten, so that an idle
// fleet costs nothing.
interface FailingPasses {
  /** A pass ended. */
  ended(key: string, result: PassResult): void;
  all(): Iterable<readonly [string, Failing]>;
}

const FAILURES: ReadonlySet<string> = new Set(FAILURE_REASONS);

export function createFailingPasses(clock: Clock): FailingPasses {
  const known = new Map<string, Failing>();
  return {
    ended(key, result) {
      if (result === 'success' || result === 'requeue_after') known.delete(key);
      // A conflict, a stop or a lost grant says nothing: the next pass tells.
      else if (isFailure(result)) known.set(key, { reason: result, sinceMs: known.get(key)?.sinceMs ?? clock.nowMs() });
    },
    all: () => known,
  };
}

function isFailure(result: PassResult): result is FailureReason {
  return FAILURES.has(result);
}
