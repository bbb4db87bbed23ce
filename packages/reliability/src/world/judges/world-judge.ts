// Checks the invariants about the operator's own acts: it sees every change, and every write before it is carried out.
// A violation ends the run with the seed and the last lines.

import { ANNOTATIONS, type MarekvsNode, type RemovalProof } from '@marekvs/api';
import { type ApiObject, isRegisterKey } from '@marekvs/simulator';
import { CLAIMS, CLUSTERS, NAMESPACE, NODES, type WorldView } from '../cluster/world-view.ts';
import type { WriteCall } from '../operator/memory-transport.ts';
import { effectOf } from '../operator/write-effect.ts';
import { foreignProblem } from './foreign-judge.ts';
import { Justification } from './justification.ts';
import { isHandingOver } from './release-judge.ts';
import { isBroughtBack, isOpenOneOf, isTurnOf } from './under-way.ts';

/** A proof is void when older than this (docs/design/contract.md#the-proof); a second for the request's way. */
const PROOF_LIFETIME_MS = 31_000;

/** An operator with a request under way cannot know what happened to a process this recently: the kubelet's own delay,
 *  an answer on its way from the API server, and a write on its way to it. */
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
    const problem = foreignProblem(this.#view, write) ?? this.#justification.problem(write);
    if (problem !== undefined) this.#view.kube.violated(problem);
    if (write.namespace !== NAMESPACE) return;
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

  /** When the operator has let a node go, that node must be the target, and every running member must have forgotten it
   *  (docs/design/contract.md#removing-a-node). */
  #nodeIsGone(node: MarekvsNode): void {
    const { metadata, spec } = node;
    const write = this.#write;
    const isOurs = write?.verb === 'patch' && write.resource === NODES && write.name === metadata.name;
    const cluster = this.#view.clusterOf(node);
    const isHeld = cluster !== undefined && cluster.metadata.deletionTimestamp === undefined;
    if (!isOurs || write.atMs !== this.#view.kube.clock.now() || !isHeld) return;
    // A Pod that goes on under a StatefulSet stays in every list (release-judge.ts).
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
    const leaving = this.#view.nodes().filter((node) => (node.spec.intent ?? 'Active') !== 'Active');
    if (leaving.length > 1) {
      const names = leaving.map((node) => node.metadata.name);
      this.#view.kube.violated(`${names.join(' and ')} are being removed at the same time`);
    }
  }

  /** A Pod is ended, even for a restart, only when its member serves nothing that no other one does, unless a person
   *  has decided otherwise. */
  #copiesGo(name: string): void {
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    const cluster = node === undefined ? undefined : this.#view.clusterOf(node);
    if (node === undefined || cluster?.status?.formed === undefined) return;
    const operation = cluster.status.operation;
    if (operation?.target?.uid === node.metadata.uid && operation.basis === 'Forced') return;
    // Writes that the others cannot understand reach none of them. They stay on the volume, and the restored version
    // brings them to the others.
    if (isTurnOf(cluster, node) && operation?.phase === 'RollingBack') return;
    // All members stop, once all records were seen on all their homes (sleep-judge.ts).
    if (node.spec.stopped === 'Hibernated') return;
    // No member serves clients yet, so the volumes are unchanged.
    if (operation?.phase === 'Waking' && this.#view.nodes().every(({ spec }) => spec.serving !== true)) return;
    // With one home per key nobody else has it: it is unavailable during its member's turn.
    if (isTurnOf(cluster, node) && this.#view.leastFactor() < 2) return;
    const isJustStruck = this.#view.nodeIds().some((id) => this.#view.wasStruckWithin(id, UNHEARD_MS));
    if (isJustStruck) return;
    const { nodeId } = node.spec;
    const pod = this.#view.pod(nodeId);
    const isTakenBack = operation?.target?.uid === node.metadata.uid && operation.phase === 'Cancelling';
    const comesBack = isTakenBack || isTurnOf(cluster, node) || (pod !== undefined && isOpenOneOf(node, pod));
    const { ledger } = this.#view.kube;
    // Clients that never hang up write to a drained member until its process ends: that is on its volume, and comes
    // back.
    const untilMs = comesBack ? this.#drainedAtMs(nodeId) : Number.POSITIVE_INFINITY;
    // So do registers, which the others never take over: no restart waits for them.
    const isMissed = (key: string): boolean => ledger.writtenAtMs(key) < untilMs && !(comesBack && isRegisterKey(key));
    const keys = this.#view.soleCopiesOf(nodeId).filter(isMissed);
    if (keys.length > 0)
      this.#view.kube.violated(
        `Pod ${name} goes and with it the last living copy of ${keys.length}: ${keys.slice(0, 3)}`,
      );
  }

  /** Since when clients are told to write elsewhere; now, if they are not. */
  #drainedAtMs(id: number): number {
    const { clock } = this.#view.kube;
    const member = this.#view.member(id);
    const sinceMs = member?.phase === 'Leaving' ? member.phaseSinceMs : clock.now();
    return this.#view.kube.nowMs() - (clock.now() - sinceMs);
  }

  /** A running process is ended for another template only while every other member serves. */
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

  /** The node serves clients and is to stay, but its member is away. */
  #isMissed({ metadata, spec, status }: MarekvsNode): boolean {
    const isGivenUp = metadata.deletionTimestamp !== undefined || !this.#hasItsVolume(spec.nodeId, status?.pvcUID);
    return spec.serving === true && !isGivenUp && !this.#isThere(spec.nodeId);
  }

  /** The Pod of a leaving node ends only when enough others live, and the proof is fresh and this node's own. */
  #podGoes(name: string): void {
    const node = this.#view.nodes().find((one) => one.metadata.name === name);
    if (node?.metadata.deletionTimestamp === undefined) return;
    const cluster = this.#view.clusterOf(node);
    if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return;
    // Before a cluster is formed no member serves, and one that shows only itself is restarted empty in any case.
    if (cluster.status?.formed === undefined) return;
    const { spec, status } = node;
    const pod = this.#view.pod(spec.nodeId);
    const operation = cluster.status.operation;
    // The removal was given up and the member is restarted on its volume; or it does not run.
    if (operation?.phase === 'Cancelling' || this.#view.member(spec.nodeId) === undefined) return;
    if (pod === undefined || isBroughtBack(node, pod) || isOpenOneOf(node, pod)) return;
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
    if (this.#isOpen(spec.nodeId)) this.#view.kube.violated(`Pod ${name} goes while clients can write to its member`);
  }

  /** Clients reach the running member, and its volume would bring it back: its door can be closed. */
  #isOpen(id: number): boolean {
    const node = this.#view.nodes().find(({ spec }) => spec.nodeId === id);
    const isKept = this.#hasItsVolume(id, node?.status?.pvcUID);
    return isKept && this.#view.kube.network.isRespOpen(this.#view.processOf(id));
  }

  /** A volume that is being deleted is gone as soon as no Pod uses it. */
  #hasItsVolume(id: number, uid: string | undefined): boolean {
    const claim = this.#view.claim(id);
    return claim?.metadata.deletionTimestamp === undefined && claim?.metadata.uid === uid;
  }

  #proofProblem(proof: RemovalProof | undefined, uid: string, podUid: string | undefined): string | undefined {
    if (proof === undefined) return 'without a proof';
    const ageMs = this.#view.kube.nowMs() - this.#view.provenAtMs(proof);
    if (ageMs > PROOF_LIFETIME_MS) return `on a proof ${Math.round(ageMs)} ms old`;
    if (proof.targetUid !== uid) return 'on the proof of another node';
    // Without a Pod, no other one can have taken writes since.
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

  /** The operator has not told it to leave: it leads nothing, serves as before, and stays. */
  #isDrainedByOthers(id: number): boolean {
    const { deletionTimestamp, annotations } = this.#view.pod(id)?.metadata ?? {};
    const isTold = (this.#view.node(id)?.spec.intent ?? 'Active') !== 'Active';
    return deletionTimestamp === undefined && annotations?.[ANNOTATIONS.leaving] !== 'true' && !isTold;
  }

  #isServing(id: number): boolean {
    const phase = this.#view.member(id)?.phase;
    const isUp = phase === 'Active' || (phase === 'Leaving' && this.#isDrainedByOthers(id));
    return isUp && this.#view.kube.network.isRespOpen(this.#view.processOf(id));
  }
}
