// Is a member stopped only as somebody asked for it, and started only when it may be? The truth is the API server's own
// state and the data on members and volumes.

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { WorldView } from '../cluster/world-view.ts';

/** After this long without writes, everything that had to be copied has been seen, or should have been. */
const QUIET_MS = 3_000;

export class SleepJudge {
  readonly #view: WorldView;
  #acknowledged = 0;
  #quietSinceMs = 0;

  constructor(view: WorldView) {
    this.#view = view;
    view.kube.server.onEvent(({ type, resource, object }) => {
      if (resource === 'pods' && type === 'ADDED') this.#podBegins(object);
    });
  }

  /** Called at every write of an operator. */
  note(): void {
    const { ledger, clock } = this.#view.kube;
    if (ledger.acknowledged !== this.#acknowledged) this.#quietSinceMs = clock.now();
    this.#acknowledged = ledger.acknowledged;
  }

  /** Why the Pod of a node that is to be stopped must not be ended; undefined when it may.
   *  @param lately the cluster now, and its states of a moment ago */
  stopProblem(node: MarekvsNode, lately: readonly MarekvsCluster[]): string | undefined {
    const how = node.spec.stopped;
    if (how === 'Hibernated')
      return lately.some(isStoppingAll) ? undefined : 'it is stopped with all others, and nobody asks for that now';
    const isAsked = node.metadata.annotations?.[ANNOTATIONS.suspend] !== undefined;
    if (!isAsked && !lately.some((one) => isSuspending(one, node))) return 'nobody asks for it to be stopped';
    return lately.some((one) => isSuspending(one, node)) ? undefined : 'no operation that stops it is under way';
  }

  /** Why all members must not be stopped now; undefined when they may. Called before the phase is stored. */
  stoppingProblem(): string | undefined {
    const { clock } = this.#view.kube;
    const isStruck = this.#view.nodeIds().some((id) => this.#view.wasStruckWithin(id, QUIET_MS));
    if (clock.now() - this.#quietSinceMs < QUIET_MS || isStruck || this.#view.leastFactor() < 2) return undefined;
    const { incomplete } = this.#view.kube.ledger.check();
    return incomplete.length === 0
      ? undefined
      : `all members are stopped while ${incomplete.length} writes are not on all their homes: ${incomplete.slice(0, 3)}`;
  }

  /** A node that is to be stopped gets no Pod, and members that hibernated together start together. */
  #podBegins({ metadata }: ApiObject): void {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    const nodes = this.#view.nodes();
    const node = nodes.find(({ metadata: { uid } }) => uid === owner);
    if (node === undefined) return;
    if (node.spec.stopped !== undefined)
      this.#view.kube.violated(`Pod ${metadata.name} begins while its node is ${node.spec.stopped}`);
    const asleep = nodes.filter(({ spec, status }) => {
      const claim = this.#view.claim(spec.nodeId);
      return spec.stopped === 'Hibernated' && claim?.metadata.uid === status?.pvcUID;
    });
    const isAlone = nodes.every(({ spec }) => this.#view.member(spec.nodeId) === undefined);
    if (asleep.length > 0 && isAlone)
      this.#view.kube.violated(`Pod ${metadata.name} begins before ${asleep.map((one) => one.metadata.name)} may`);
  }
}

function isStoppingAll({ spec, status }: MarekvsCluster): boolean {
  const { type, phase } = status?.operation ?? {};
  return spec.hibernated === true && type === 'Hibernate' && (phase === 'Stopping' || phase === 'Hibernated');
}

function isSuspending({ status }: MarekvsCluster, { metadata }: MarekvsNode): boolean {
  const { type, roll } = status?.operation ?? {};
  return type === 'Suspend' && roll?.uid === metadata.uid;
}
