// Holds the invariants that concern the operator's own acts: it hears of every change and of every write before it is
// carried out. A violation ends the run with the seed and the last lines.

import { ANNOTATIONS, type MarekvsNode, type RemovalProof } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { isBroughtBack, isTurnOf, Justification } from './justification.ts';
import type { WriteCall } from './memory-transport.ts';
import { isHandingOver } from './release-judge.ts';
import { CLAIMS, CLUSTERS, NODES, type WorldView } from './world-view.ts';
import { effectOf } from './write-effect.ts';

/** A proof is void when it is older (docs/design/contract.md#the-proof); a second for the way of the request. */
const PROOF_LIFETIME_MS = 31_000;

/** What has happened to a process so shortly before, nobody can have heard who has a request under way: the kubelet's
 *  own delay, an answer on its way from the API server, and a write on its way to it. */
const UNHEARD_MS = 110;

export class WorldJudge {
  readonly #view: WorldView;
  readonly #justification: Justification;
  #write: (WriteCall & { readonly atMs: number }) | undefined;

  constructor(view: WorldView) {
    this.#view = view;
    this.#justification = new Justification(view);
    view.kube.server.onEvent(({ type, resource, object }) => {
      if (resource !== NODES) return;
      this.#oneAtATime();
      if (type === 'DELETED') this.#nodeIsGone(object as ApiObject & MarekvsNode);
    });
  }

  /** A write of an operator, just before the API server carries it out. */
  judge(write: WriteCall): void {
    this.#write = { ...write, atMs: this.#view.kube.clock.now() };
    const problem = this.#justification.problem(write);
    if (problem !== undefined) this.#view.kube.violated(problem);
    if (this.#isClusterLeaving() || effectOf(write, this.#view.kube.server) === undefined) return;
    const { verb, resource, name } = write;
    if (resource === CLUSTERS && verb !== 'create')
      this.#view.kube.violated(`the operator writes the user's spec: ${verb} ${name}`);
    if (verb !== 'delete') return;
    if (resource === 'pods') {
      this.#podGoes(name);
      this.#copiesGo(name);
      this.#turnComes(name);
    }
    if (resource === NODES) this.#nodeGoes(name);
    if (resource === CLAIMS) this.#claimGoes(name);
  }

  /** The operator has let a node go: it was its turn, and every member that runs has forgotten it
   *  (docs/design/contract.md#removing-a-node). */
  #nodeIsGone(node: MarekvsNode): void {
    const { metadata, spec } = node;
    const write = this.#write;
    const isOurs = write?.verb === 'patch' && write.resource === NODES && write.name === metadata.name;
    const cluster = this.#view.clusterOf(node);
    const isHeld = cluster !== undefined && cluster.metadata.deletionTimestamp === undefined;
    if (!isOurs || write.atMs !== this.#view.kube.clock.now() || !isHeld) return;
    // Whose Pod goes on under a StatefulSet stays in every list (release-judge.ts).
    if (isHandingOver(cluster)) return;
    const target = cluster.status?.operation?.target;
    if (target?.uid !== metadata.uid)
      this.#view.kube.violated(`${metadata.name} is let go while ${target?.name ?? 'nobody'} is being removed`);
    const showing = this.#view.nodeIds().filter((other) => this.#view.isSeenToShow(other, spec.nodeId));
    if (showing.length > 0)
      this.#view.kube.violated(`${metadata.name} is let go while demo-${showing.join(' and demo-')} still see it`);
  }

  #isClusterLeaving(): boolean {
    const cluster = this.#view.cluster();
    return cluster === undefined || cluster.metadata.deletionTimestamp !== undefined;
  }

  #oneAtATime(): void {
    const leaving = this.#view.nodes().filter((node) => node.spec.intent === 'Leaving');
    if (leaving.length > 1) {
      const names = leaving.map((node) => node.metadata.name);
      this.#view.kube.violated(`${names.join(' and ')} are being removed at the same time`);
    }
  }

  /** Whatever a Pod is ended for, a restart among it: what its member alone serves is waited for, unless a
   *  person has said otherwise. */
  #copiesGo(name: string): void {
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    const cluster = node === undefined ? undefined : this.#view.clusterOf(node);
    if (node === undefined || cluster?.status?.formed === undefined) return;
    const operation = cluster.status.operation;
    if (operation?.target?.uid === node.metadata.uid && operation.basis === 'Forced') return;
    // What nobody else understands reaches nobody: its volume has it, and what runs on that next brings it to the
    // others.
    if (isTurnOf(cluster, node) && operation?.phase === 'RollingBack') return;
    // All of them stop, once everything was seen on all its homes (sleep-judge.ts).
    if (node.spec.stopped === 'Hibernated') return;
    // Nobody was let in to any of them yet: what is on its volume is as it was.
    if (operation?.phase === 'Waking' && this.#view.nodes().every(({ spec }) => spec.serving !== true)) return;
    // With one home of a key nobody else has it: it is away while its member takes its turn.
    if (isTurnOf(cluster, node) && this.#view.leastFactor() < 2) return;
    const isJustStruck = this.#view.nodeIds().some((id) => this.#view.wasStruckWithin(id, UNHEARD_MS));
    const keys = isJustStruck ? [] : this.#view.soleCopiesOf(node.spec.nodeId);
    if (keys.length > 0)
      this.#view.kube.violated(
        `Pod ${name} goes and with it the last living copy of ${keys.length}: ${keys.slice(0, 3)}`,
      );
  }

  /** A process that runs is ended for another template only while every other member serves. */
  #turnComes(name: string): void {
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    const cluster = node === undefined ? undefined : this.#view.clusterOf(node);
    if (node === undefined || cluster === undefined || !isTurnOf(cluster, node)) return;
    if (this.#view.member(node.spec.nodeId) === undefined || cluster.status?.operation?.phase === 'Cancelling') return;
    const away = this.#view
      .nodes()
      .filter((other) => other.metadata.uid !== node.metadata.uid && this.#isMissed(other));
    if (away.length > 0)
      this.#view.kube.violated(`Pod ${name} is made again while ${away.map((one) => one.metadata.name)} is away`);
  }

  /** It was let in, is there to stay, and does not serve. */
  #isMissed({ metadata, spec, status }: MarekvsNode): boolean {
    const claim = this.#view.claim(spec.nodeId);
    const isGivenUp = metadata.deletionTimestamp !== undefined || claim?.metadata.uid !== status?.pvcUID;
    return spec.serving === true && !isGivenUp && !this.#isThere(spec.nodeId);
  }

  /** The Pod of a node that is to go: the others suffice, and the proof it goes on is fresh and its own. */
  #podGoes(name: string): void {
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    if (node?.metadata.deletionTimestamp === undefined) return;
    const cluster = this.#view.clusterOf(node);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
    // Before a cluster is formed nobody serves, and a member that shows only itself is restarted empty, deleted or not.
    if (cluster.status?.formed === undefined) return;
    const { spec, status } = node;
    const pod = this.#view.pod(spec.nodeId);
    const operation = cluster.status.operation;
    // The removal was given up and it is started again on its volume; or nothing of it runs.
    if (operation?.phase === 'Cancelling' || this.#view.member(spec.nodeId) === undefined) return;
    if (pod === undefined || isBroughtBack(node, pod)) return;
    if (operation?.target?.uid !== node.metadata.uid)
      this.#view.kube.violated(`Pod ${name} goes while ${operation?.target?.name ?? 'nobody'} is being removed`);
    else if (operation.phase !== 'Deleting' && operation.phase !== 'Departing')
      this.#view.kube.violated(`Pod ${name} goes in phase ${operation.phase}`);
    const needed = spec.template.replicationFactor + 1;
    const others = this.#view.nodeIds().filter((id) => id !== spec.nodeId && this.#isThere(id)).length;
    if (others < needed) this.#view.kube.violated(`${name} goes while ${others} others live and ${needed} are needed`);
    const basis = cluster.status?.operation?.basis ?? 'Proof';
    if (basis !== 'Proof') return;
    const problem = this.#proofProblem(status?.removalProof, node.metadata.uid, pod.metadata.uid);
    if (problem !== undefined) this.#view.kube.violated(`Pod ${name} goes ${problem}`);
  }

  #proofProblem(proof: RemovalProof | undefined, uid: string, podUid: string | undefined): string | undefined {
    if (proof === undefined) return 'without a proof';
    const ageMs = this.#view.kube.nowMs() - this.#view.provenAtMs(proof);
    if (ageMs > PROOF_LIFETIME_MS) return `on a proof ${Math.round(ageMs)} ms old`;
    if (proof.targetUid !== uid) return 'on the proof of another node';
    // Where none is there, nothing was taken since by another one.
    const isOfItsPod = proof.podUID === undefined || podUid === undefined || proof.podUID === podUid;
    return isOfItsPod ? undefined : 'on the proof of an earlier Pod';
  }

  #nodeGoes(name: string): void {
    const operation = this.#view.cluster()?.status?.operation;
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    if (node === undefined) return;
    const cluster = this.#view.clusterOf(node);
    if (cluster !== undefined && isHandingOver(cluster)) return;
    const isMarked = node.metadata.annotations?.[ANNOTATIONS.removal] === operation?.id;
    if (operation?.target?.uid !== node.metadata.uid || operation.phase !== 'Deleting' || !isMarked)
      this.#view.kube.violated(`node ${name} is deleted in phase ${operation?.phase} of ${operation?.target?.name}`);
    if ((operation?.basis ?? 'Proof') !== 'Proof') return;
    const podUid = this.#view.pod(node.spec.nodeId)?.metadata.uid;
    const problem = this.#proofProblem(node.status?.removalProof, node.metadata.uid, podUid);
    if (problem !== undefined) this.#view.kube.violated(`node ${name} is deleted ${problem}`);
  }

  #claimGoes(name: string): void {
    const operation = this.#view.cluster()?.status?.operation;
    const claim = this.#view.kube.server.list(CLAIMS).find((one) => one.metadata.name === name);
    if (claim === undefined) return;
    if (operation?.phase !== 'Reclaiming' || operation.proof?.post === undefined)
      this.#view.kube.violated(`volume ${name} is deleted in phase ${operation?.phase}`);
    const mounting = this.#view.kube.kubelet.lives().find((life) => life.volumeUid === claim.metadata.uid);
    if (mounting !== undefined) this.#view.kube.violated(`volume ${name} is deleted under Pod ${mounting.ref.name}`);
  }

  #isThere(id: number): boolean {
    return this.#isServing(id) || this.#view.wasStruckWithin(id, UNHEARD_MS);
  }

  #isServing(id: number): boolean {
    const member = this.#view.member(id);
    return member?.phase === 'Active' && this.#view.kube.network.isRespOpen(this.#view.processOf(id));
  }
}
