// Does the current state justify what an operator ends, whatever its caches showed? The truth is the API server's own
// state, object by object and by UID: a mark, a record or a policy of an earlier object of the same name justifies
// nothing.

import {
  ANNOTATIONS,
  FINALIZERS,
  LABELS,
  type MarekvsCluster,
  type MarekvsNode,
  minimumNodes,
  type Operation,
  recordedVolume,
  withDefaults,
} from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLAIMS, CLUSTERS, NODES, REVISIONS, type WorldView } from '../cluster/world-view.ts';
import type { WriteCall } from '../operator/memory-transport.ts';
import { effectOf, type WriteEffect } from '../operator/write-effect.ts';
import { markedProblem } from './host-judge.ts';
import { podEndProblem } from './pod-end-judge.ts';
import { forgettingProblem, handedProblem, isHandingOver, letGoProblem } from './release-judge.ts';
import { SleepJudge } from './sleep-judge.ts';
import { revisionProblem, stampProblem } from './template-judge.ts';
import { isLeaving, isTurnOf, type Lately, operationOn } from './under-way.ts';

/** A person, or a second operator, may change the wish between an operator's last live read and its write: a wish of up
 *  to this age counts too. */
const CHANGE_OF_MIND_MS = 1_000;

export class Justification {
  readonly #view: WorldView;
  /** Recent earlier states of clusters. */
  #replaced: { readonly cluster: MarekvsCluster; readonly untilMs: number }[] = [];

  readonly #sleep: SleepJudge;

  constructor(view: WorldView) {
    this.#view = view;
    this.#sleep = new SleepJudge(view);
    view.kube.server.onEvent(({ resource, previous }) => {
      if (resource !== CLUSTERS || previous === undefined) return;
      const untilMs = view.kube.nowMs() + CHANGE_OF_MIND_MS;
      this.#replaced.push({ cluster: previous as ApiObject & MarekvsCluster, untilMs });
    });
  }

  /** What is wrong with a write, just before it is carried out; undefined when it ends nothing or is justified. */
  problem(write: WriteCall): string | undefined {
    this.#sleep.note();
    const effect = effectOf(write, this.#view.kube.server);
    if (effect === undefined) return undefined;
    const why = this.#problem(effect);
    return why === undefined ? undefined : `${write.verb} ${write.resource} ${write.name}: ${why}`;
  }

  #problem(effect: WriteEffect): string | undefined {
    const { verb, resource, live, on } = effect;
    if (live !== undefined && on.uid === undefined) return 'it names no UID, and would meet any object of that name';
    if (verb === 'delete') return this.#deletion(effect);
    if (resource === NODES && live !== undefined) return this.#nodeChange(effect, live as ApiObject & MarekvsNode);
    if (resource === CLAIMS) return this.#ownership(effect);
    if (resource === 'pods' && live !== undefined && !effect.isStatus)
      return letGoProblem(this.#view, live, effect.body, this.#lately);
    return resource === CLUSTERS && effect.isStatus ? this.#claim(effect) : undefined;
  }

  #deletion({ resource, live, body }: WriteEffect): string | undefined {
    if (live === undefined) return undefined;
    if (resource === NODES) return this.#nodeGoes(live as ApiObject & MarekvsNode);
    if (resource === 'pods') return podEndProblem(this.#view, live, body, { sleep: this.#sleep, lately: this.#lately });
    if (resource === CLAIMS) return this.#volumeGoes(live);
    if (resource === REVISIONS) return revisionProblem(this.#view, live, this.#clusters());
    return 'nothing of this kind is ever deleted';
  }

  #nodeGoes(node: MarekvsNode): string | undefined {
    const cluster = this.#view.clusterOf(node);
    if (cluster === undefined) return 'its cluster is gone: nobody has asked for this';
    if (isLeaving(cluster)) return undefined;
    if (isHandingOver(cluster)) return handedProblem(this.#view, cluster, node);
    const operation = operationOn(cluster, node);
    if (operation?.phase !== 'Deleting') return `its cluster is at ${operation?.phase ?? 'no removal of it'}`;
    if (node.metadata.annotations?.[ANNOTATIONS.removal] !== operation.id) return 'it does not carry the mark';
    return this.#hasToGo(cluster, node) ? undefined : 'all nodes are wanted';
  }

  #volumeGoes({ metadata }: ApiObject): string | undefined {
    const cluster = this.#clusters().find(({ status }) => status?.operation?.target?.pvcUID === metadata.uid);
    const operation = cluster?.status?.operation;
    if (cluster === undefined || operation === undefined) return 'no removal under way is of its node';
    if (operation.phase !== 'Reclaiming' || operation.proof?.post === undefined)
      return `the removal is at ${operation.phase}, ${operation.proof?.post === undefined ? 'without' : 'with'} its second proof`;
    const user = this.#view.nodes().find(({ spec }) => metadata.labels?.[LABELS.nodeId] === String(spec.nodeId));
    if (user !== undefined) return `${user.metadata.name} is there`;
    const isWanted = this.#lately(cluster).some(
      ({ spec }) => withDefaults(spec).volumeRetention.whenScaled === 'Delete',
    );
    if (operation.target?.sealedPodUID === undefined) return 'no client was kept from its member before it ended';
    return isWanted ? undefined : 'volumes are to be kept';
  }

  #nodeChange({ body, isStatus }: WriteEffect, live: MarekvsNode): string | undefined {
    if (isStatus) return undefined;
    const owner = this.#view.clusterOf(live);
    const stamp =
      owner === undefined || isLeaving(owner) ? undefined : stampProblem(this.#view, body, live, owner, this.#lately);
    if (stamp !== undefined) return stamp;
    const marked = body.metadata?.annotations?.[ANNOTATIONS.hostLost];
    if (owner !== undefined && typeof marked === 'string') return markedProblem(this.#view, owner, live);
    const { finalizers } = body.metadata ?? {};
    const isReleased = finalizers !== undefined && !finalizers.includes(FINALIZERS.memberSafeRemoval);
    if (isReleased && live.metadata.finalizers?.includes(FINALIZERS.memberSafeRemoval) === true)
      return this.#release(live);
    if (body.spec?.intent !== 'Leaving' && body.spec?.intent !== 'Sealed') return undefined;
    const cluster = this.#view.clusterOf(live);
    if (cluster === undefined || isLeaving(cluster)) return undefined;
    const mark = body.metadata?.annotations?.[ANNOTATIONS.removal];
    const isToldAlready = this.#view.pod(live.spec.nodeId)?.metadata.annotations?.[ANNOTATIONS.leaving] === 'true';
    const isAsked = this.#lately(cluster).some((one) => {
      const operation = operationOn(one, live) ?? (isTurnOf(one, live) ? one.status?.operation : undefined);
      // One that its node controller has told meanwhile is compared before it is restarted to stay.
      return operation?.id === mark && (operation?.phase !== 'Cancelling' || isToldAlready);
    });
    if (isAsked) return undefined;
    return `it is told to leave by ${mark}, and its cluster is at ${operationOn(cluster, live)?.phase ?? 'no removal of it'}`;
  }

  #release(node: MarekvsNode): string | undefined {
    if (node.metadata.deletionTimestamp === undefined) return 'it loses its protection while it stays';
    const cluster = this.#view.clusterOf(node);
    if (cluster === undefined || isLeaving(cluster)) return undefined;
    if (isHandingOver(cluster)) return handedProblem(this.#view, cluster, node);
    const phase = operationOn(cluster, node)?.phase;
    if (phase !== 'Deleting' && phase !== 'Departing') return `it is let go at ${phase}`;
    const pod = this.#view.pod(node.spec.nodeId);
    const isOwn = pod?.metadata.ownerReferences?.some(({ uid }) => uid === node.metadata.uid) === true;
    return isOwn ? 'it is let go while its Pod is there' : undefined;
  }

  /** A claim's new owner takes the volume with it when it is deleted. */
  #ownership({ body, live }: WriteEffect): string | undefined {
    const before = live?.metadata.ownerReferences?.map(({ uid }) => uid) ?? [];
    const owners = body.metadata?.ownerReferences?.map(({ uid }) => uid) ?? [];
    const label = live?.metadata.labels?.[LABELS.clusterUid] ?? body.metadata?.labels?.[LABELS.clusterUid];
    for (const uid of owners.filter((owner) => !before.includes(owner))) {
      const cluster = this.#clusters().find(({ metadata }) => metadata.uid === uid);
      if (cluster === undefined) return `its new owner ${uid} is not there: it is collected at once`;
      if (label !== uid) return `its new owner is another cluster than ${label}, whose it is`;
      const isWanted = this.#lately(cluster).some(
        ({ spec }) => withDefaults(spec).volumeRetention.whenDeleted === 'Delete',
      );
      if (!isWanted) return 'it would go with its cluster, which is to leave it';
    }
    return undefined;
  }

  /** Why a write of the status is wrong: it forgets `formed`, or begins an operation that nothing justifies. */
  #claim({ body, live }: WriteEffect): string | undefined {
    const cluster = live as ApiObject & MarekvsCluster;
    const forgotten = forgettingProblem(this.#view, cluster, body);
    if (forgotten !== undefined) return forgotten;
    const operation = body.status?.operation as Operation | undefined;
    const isNew = operation?.phase !== cluster.status?.operation?.phase;
    if (operation?.type === 'Hibernate' && operation.phase === 'Stopping' && isNew)
      return this.#sleep.stoppingProblem();
    if (operation?.target === undefined || cluster.status?.operation !== undefined) return undefined;
    const node = this.#view.nodes().find(({ metadata }) => metadata.uid === operation.target?.uid);
    if (node === undefined) return `its target ${operation.target.name} is not there`;
    if (this.#view.clusterOf(node)?.metadata.uid !== cluster.metadata.uid) return `its target is another cluster's`;
    const isJustified = operation.type === 'Remove' ? this.#hasToGo(cluster, node) : this.#isEnded(node);
    return isJustified ? undefined : `all nodes are wanted, ${node.metadata.name} too`;
  }

  /** The node is surplus, or has been ended. */
  #hasToGo(cluster: MarekvsCluster, node: MarekvsNode): boolean {
    if (this.#isEnded(node)) return true;
    const count = this.#view
      .nodes()
      .filter((one) => this.#view.clusterOf(one)?.metadata.uid === cluster.metadata.uid).length;
    return this.#lately(cluster).some(({ spec, status }) => {
      const wish = withDefaults(spec);
      // Sizes decided by load or hosts are checked by the judges of sizes.
      const isDecided = wish.autoscale !== undefined || wish.hosts.onePerHost !== undefined;
      const size = isDecided ? (status?.autoscale?.size ?? wish.nodes) : wish.nodes;
      return count > Math.max(size, minimumNodes(wish));
    });
  }

  /** Whether the node was deleted or forced out, or its host is lost, or its volume is lost or being deleted. */
  #isEnded(node: MarekvsNode): boolean {
    const { metadata, spec } = node;
    if (metadata.deletionTimestamp !== undefined) return true;
    // Whether the host is really lost is judged when the mark is written (host-judge.ts).
    if (metadata.annotations?.[ANNOTATIONS.hostLost]?.startsWith(`${metadata.uid}/`) === true) return true;
    if (metadata.annotations?.[ANNOTATIONS.forceRemove]?.startsWith(`${metadata.uid}/`) === true) return true;
    const claim = this.#view.claim(spec.nodeId);
    if (claim?.metadata.deletionTimestamp !== undefined) return true;
    const recorded = recordedVolume(node);
    return recorded !== undefined && claim?.metadata.uid !== recorded;
  }

  readonly #lately: Lately = (cluster) => {
    const nowMs = this.#view.kube.nowMs();
    this.#replaced = this.#replaced.filter(({ untilMs }) => untilMs > nowMs);
    const before = this.#replaced.map((one) => one.cluster);
    return [cluster, ...before.filter(({ metadata }) => metadata.uid === cluster.metadata.uid)];
  };

  #clusters(): readonly MarekvsCluster[] {
    return this.#view.kube.server.list(CLUSTERS) as readonly (ApiObject & MarekvsCluster)[];
  }
}
