// A cluster as plain values, with members that follow what is written: what a sequence of edits is tried on. It has a
// clock of its own, and draws delays, orders and failures from a list that fast-check provides; 0 means at once, in
// order, without a failure. steps.ts says what each step writes, rules.ts what must never happen.

import { LABELS, type MarekvsClusterSpec, type MarekvsClusterStatus, type Operation, ownedCounts } from '@marekvs/api';
import {
  type ClusterObservation,
  type ComparisonReport,
  type ComparisonRequest,
  isMeshShort,
  isSameComparison,
  type MemberAnswer,
  type MemberFacts,
  type NodeObservation,
  type NodeRecord,
  type RevisionRecord,
  type ViewLine,
  type VolumeRecord,
} from '../../src/index.ts';
import { MONOTONIC_MS, NOW_MS, node, nodeObservation, observation, volume, wantedLabels } from '../support/builders.ts';
import { digestOf, factsOf } from '../support/facts.ts';
import { reportOn, running } from '../support/reports.ts';
import { isActive, isOutOfService, type Life, type PodState, podAt } from './pods.ts';
import { fateOf, hashOf, type Letter, resourcesOf, revisionOf } from './templates.ts';

/** So that a member that never joins fails its turn soon. */
const PROGRESS_DEADLINE_SECONDS = 120;

/** What the user wants now. */
export interface Wish {
  letter: Letter;
  nodes: number;
  isPaused: boolean;
  canaryNodes: number;
  isOnDelete: boolean;
  rollbackOnFailure: boolean;
}

/** A MarekvsNode: its record without what others say of it. */
export type NodeState = Omit<NodeRecord, 'pod' | 'volume' | 'answer' | 'resources' | 'replicationFactor'>;

interface Ghost {
  readonly line: ViewLine;
  readonly untilMs: number;
}

export class EditedCluster {
  nowMs = NOW_MS;
  readonly wish: Wish;
  rollout: ClusterObservation['cluster']['rollout'] = { approved: undefined, isPaused: false, retry: undefined };
  specGeneration = 1;
  isFormed = false;
  operation: Operation | undefined;
  /** With the phases that nobody has stored: what the operator forgets when it starts anew. */
  timeline: Operation['timeline'];
  lastOperation: MarekvsClusterStatus['lastOperation'];
  update: MarekvsClusterStatus['update'];
  verification: MarekvsClusterStatus['verification'];
  highestNodeId = -1;
  revisions: RevisionRecord[] = [];
  readonly nodes = new Map<number, NodeState>();
  readonly pods = new Map<number, PodState>();
  /** By the id in their name. */
  readonly volumes = new Map<number, VolumeRecord>();
  /** Those that hold something. */
  readonly written = new Set<string>();
  comparison:
    | { request: ComparisonRequest; startedMs: number; doneMs: number; coveredMs: number | undefined }
    | undefined;
  isProvenHere = true;
  verifiedAtMs = MONOTONIC_MS;
  readonly said: string[] = [];
  readonly #tape: readonly number[];
  #drawn = 0;
  #serial = 0;
  #ghosts: Ghost[] = [];
  #shown = { key: '', sinceMs: 0 };
  #isolated: { readonly id: string; readonly sinceMs: number } | undefined;
  #unmeshedMs: number | undefined;
  readonly #podGoneMs = new Map<string, number>();

  /** @param tape per mille, used over and over */
  constructor(tape: readonly number[], nodes: number) {
    this.#tape = tape;
    this.wish = {
      letter: 'a',
      nodes,
      isPaused: false,
      canaryNodes: 0,
      isOnDelete: false,
      rollbackOnFailure: true,
    };
  }

  get monotonicMs(): number {
    return MONOTONIC_MS + this.nowMs - NOW_MS;
  }

  get templateHash(): string {
    return hashOf(this.wish.letter);
  }

  /** 0 to below 1. */
  draw(): number {
    this.#drawn += 1;
    return (this.#tape[this.#drawn % this.#tape.length] ?? 0) / 1_000;
  }

  serial(): number {
    this.#serial += 1;
    return this.#serial;
  }

  say(text: string): void {
    this.said.push(`${((this.nowMs - NOW_MS) / 1_000).toFixed(1)} ${text}`);
  }

  /** In an order that is drawn. */
  shuffled<T>(list: readonly T[]): readonly T[] {
    return list
      .map((one, index) => ({ one, key: this.draw() + index / 1_000_000 }))
      .sort((a, b) => a.key - b.key)
      .map(({ one }) => one);
  }

  /** All at rest, of the template that is asked for. */
  settle(count: number): void {
    this.isFormed = true;
    this.revisions = [revisionOf(this.templateHash, 1)];
    this.highestNodeId = count - 1;
    for (let id = 0; id < count; id += 1) {
      this.addNode(id, this.templateHash, 0);
      this.addVolume(id);
      const uid = this.volumes.get(id)?.uid;
      if (uid !== undefined) this.written.add(uid);
      this.patchNode(id, {
        serving: true,
        recordedVolumeUid: uid,
        wasActive: true,
        lastActiveAtMs: Number.POSITIVE_INFINITY,
      });
      this.addPod(id, [], 60_000);
    }
    for (const { life, labels } of this.pods.values()) {
      labels[LABELS.serving] = 'true';
      if (life !== undefined) life.lacks = false;
    }
    this.update = { revision: this.templateHash, updated: count, total: count };
  }

  addNode(id: number, hash: string, agoMs = 0): void {
    const {
      pod: _pod,
      volume: _volume,
      answer: _answer,
      resources: _resources,
      replicationFactor: _factor,
      ...rest
    } = node(id, {
      uid: `node-uid-${id}-${this.serial()}`,
      createdAtMs: this.nowMs - agoMs,
      serving: false,
      recordedVolumeUid: undefined,
      templateHash: hash,
    });
    this.nodes.set(id, rest);
    this.highestNodeId = Math.max(this.highestNodeId, id);
  }

  patchNode(id: number, change: Partial<NodeState>): void {
    const before = this.nodes.get(id);
    if (before !== undefined) this.nodes.set(id, { ...before, ...change });
  }

  addVolume(id: number): void {
    this.volumes.set(id, volume(id, { uid: `volume-uid-${id}-${this.serial()}`, createdAtMs: this.nowMs }));
  }

  addPod(id: number, seeds: readonly string[], agoMs = 0): void {
    const owner = this.nodes.get(id);
    if (owner === undefined) return;
    const createdAtMs = this.nowMs - agoMs;
    const state: PodState = {
      id,
      uid: `pod-uid-${id}-${this.serial()}`,
      ownerUid: owner.uid,
      createdAtMs,
      startsAtMs: createdAtMs + 500 + this.draw() * 3_000,
      seeds,
      labels: {},
      templateHash: owner.templateHash,
      isSealed: owner.intent === 'Sealed',
      isLeaving: false,
      endsAtMs: undefined,
      restarts: 0,
      life: undefined,
      resizing: undefined,
      resizedBy: undefined,
    };
    for (const [key, value] of Object.entries(wantedLabels(id, owner.serving && owner.intent === 'Active')))
      if (value !== undefined) state.labels[key] = value;
    this.pods.set(id, state);
    this.#comeToLife();
  }

  /** The container of its Pod starts anew. */
  kill(id: number): void {
    const state = this.pods.get(id);
    if (state?.life === undefined) return;
    this.#endLife(state);
    state.restarts += 1;
    state.life = this.#born(state, this.nowMs);
  }

  removePod(id: number): void {
    const state = this.pods.get(id);
    if (state === undefined) return;
    this.#endLife(state);
    this.pods.delete(id);
    if (this.volumes.get(id)?.isTerminating === true) this.volumes.delete(id);
  }

  removeNode(id: number): void {
    this.nodes.delete(id);
    this.#isolated = undefined;
  }

  /** The operator starts anew: what it only knew is gone. */
  forget(): void {
    this.timeline = this.operation?.timeline;
    this.comparison = undefined;
    this.isProvenHere = false;
    this.verifiedAtMs = this.monotonicMs;
    this.#isolated = undefined;
    this.#unmeshedMs = undefined;
    this.#podGoneMs.clear();
  }

  /** What is asked to be compared from now on. */
  compare(request: ComparisonRequest | undefined): void {
    const { comparison } = this;
    if (request === undefined) {
      this.comparison = undefined;
      return;
    }
    const isSame = comparison !== undefined && isSameComparison(comparison.request, request);
    if (isSame && comparison.startedMs >= request.sinceMs) return;
    const startedMs = this.monotonicMs;
    this.comparison = { request, startedMs, doneMs: startedMs + this.draw() * 4_000, coveredMs: undefined };
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const state of [...this.pods.values()])
      if (state.endsAtMs !== undefined && state.endsAtMs <= this.nowMs) this.removePod(state.id);
    this.#comeToLife();
    this.#drainSealed();
    this.#catchUp();
    this.#ghosts = this.#ghosts.filter(({ untilMs, line }) => untilMs > this.nowMs && !this.#isListed(line.id));
    const key = JSON.stringify(this.view());
    if (key !== this.#shown.key) this.#shown = { key, sinceMs: this.monotonicMs };
  }

  /** What every member shows. */
  view(): readonly ViewLine[] {
    const living = [...this.pods.values()].flatMap(({ id, life }): readonly ViewLine[] => {
      if (life === undefined) return [];
      return [{ id, generation: life.generation, hasPrimaries: isActive(life, this.nowMs) && !life.isLeaving }];
    });
    return [...living, ...this.#ghosts.map(({ line }) => line)].sort((a, b) => a.id - b.id);
  }

  observe(): ClusterObservation {
    const view = this.view();
    const nodes = [...this.nodes.values()].sort((a, b) => a.id - b.id).map((state) => this.#recordOf(state, view));
    const facts = nodes.flatMap((one) => this.#factsOf(one, view));
    const { monotonicMs } = this;
    const { operation } = this;
    const target = nodes.find(({ uid }) => uid === (operation?.target ?? operation?.roll)?.uid);
    const unmeshed = operation !== undefined && isMeshShort({ nodes, facts, monotonicMs });
    this.#unmeshedMs = unmeshed ? (this.#unmeshedMs ?? monotonicMs) : undefined;
    for (const { uid, pod } of nodes) {
      if (pod !== undefined) this.#podGoneMs.delete(uid);
      else if (!this.#podGoneMs.has(uid)) this.#podGoneMs.set(uid, monotonicMs);
    }
    return observation({
      nowMs: this.nowMs,
      monotonicMs,
      nodes,
      volumes: [...this.volumes.values()],
      revisions: this.revisions,
      facts,
      history: { agreedForMs: monotonicMs - this.#shown.sinceMs, differForMs: undefined },
      comparison: this.#report(),
      verifiedAtMs: this.verifiedAtMs,
      isolatedSinceMs: this.#isolatedSince(operation?.id, target),
      unmeshedSinceMs: this.#unmeshedMs,
      isProvenHere: this.isProvenHere,
      cluster: {
        generation: this.specGeneration,
        createdAtMs: NOW_MS,
        spec: this.#spec(),
        templateHash: this.templateHash,
        isFormed: this.isFormed,
        highestNodeId: this.highestNodeId,
        operation: operation === undefined ? undefined : this.#recalled(operation),
        lastOperation: this.lastOperation,
        update: this.update,
        rollout: this.rollout,
        verification: this.verification,
      },
    });
  }

  observeNode(o: ClusterObservation, own: NodeRecord): NodeObservation {
    return nodeObservation(own, {
      nowMs: this.nowMs,
      parent: this.wish.isPaused ? 'paused' : 'present',
      isClusterFormed: this.isFormed,
      wantedNodes: Math.max(this.wish.nodes, 3),
      siblings: o.nodes,
      operation: this.operation,
      wantedPodLabels: wantedLabels(own.id, own.serving && own.intent === 'Active'),
      lastActiveAtMs: own.lastActiveAtMs === Number.POSITIVE_INFINITY ? this.nowMs : own.lastActiveAtMs,
      lastActiveMs: new Map(
        o.nodes.flatMap(({ uid, lastActiveAtMs }) =>
          lastActiveAtMs === undefined ? [] : [[uid, Math.min(lastActiveAtMs, this.nowMs)]],
        ),
      ),
      podGoneSinceMs: this.#podGoneMs.get(own.uid),
      isProvenHere: this.isProvenHere,
    });
  }

  /** It may be the only one that has something. */
  holds(id: number): boolean {
    const uid = this.volumes.get(id)?.uid;
    return uid !== undefined && this.written.has(uid);
  }

  #spec(): Partial<MarekvsClusterSpec> {
    const { nodes, isPaused, canaryNodes, isOnDelete, rollbackOnFailure } = this.wish;
    return {
      nodes,
      paused: isPaused,
      update: {
        type: isOnDelete ? 'OnDelete' : 'RollingUpdate',
        canaryNodes,
        rollbackOnFailure,
        progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
      },
    };
  }

  #recalled(operation: Operation): Operation {
    const isLonger = (this.timeline?.length ?? 0) > (operation.timeline?.length ?? 0);
    return isLonger ? { ...operation, timeline: this.timeline } : operation;
  }

  #recordOf(state: NodeState, view: readonly ViewLine[]): NodeRecord {
    const pod = this.pods.get(state.id);
    return {
      ...state,
      replicationFactor: 2,
      resources: resourcesOf(state.templateHash),
      pod: pod === undefined ? undefined : podAt(pod, this.nowMs),
      volume: this.volumes.get(state.id),
      answer: pod === undefined ? { kind: 'notAsked' } : this.#answerOf(pod, view),
    };
  }

  #answerOf({ life, startsAtMs, createdAtMs, isSealed }: PodState, view: readonly ViewLine[]): MemberAnswer {
    const { nowMs } = this;
    if (nowMs < startsAtMs) return { kind: 'notAsked' };
    const silence = (sinceMs: number): MemberAnswer => ({
      kind: 'silent',
      sinceMs,
      error: 'refused',
      isInvalid: false,
    });
    if (life === undefined) return silence(createdAtMs);
    if (nowMs < life.silentUntilMs) return silence(life.silentSinceMs);
    if (isSealed) return { kind: 'sealed', sinceMs: life.bornMs };
    if (nowMs < life.activeAtMs) return { kind: 'joining', sinceMs: life.bornMs };
    return { kind: 'serving', atMs: nowMs, viewAtMs: this.monotonicMs, view, digest: digestOf(view) };
  }

  #factsOf({ id, answer }: NodeRecord, view: readonly ViewLine[]): readonly MemberFacts[] {
    const state = this.pods.get(id);
    if (state?.life === undefined || answer.kind === 'silent') return [];
    const { life } = state;
    const ids = view.map((line) => line.id);
    const peers = this.#peersOf(state);
    // Behind its closed door it shows figures, and no list.
    const isJoining = answer.kind === 'joining' || state.isSealed;
    const shownSinceMs = isJoining ? undefined : Math.max(this.#shown.sinceMs, this.#monotonic(life.activeAtMs));
    return [
      factsOf(id, {
        ids,
        view,
        podUid: state.uid,
        generation: state.isSealed ? undefined : life.generation,
        bornAtMs: this.#monotonic(life.bornMs),
        atMs: this.monotonicMs,
        isJoining,
        shownSinceMs,
        meshPeers: peers,
        figures: { meshPeers: peers, members: ids.length, ownedPartitions: ownedOf(view, id) },
      }),
    ];
  }

  #monotonic(wallMs: number): number {
    return MONOTONIC_MS + wallMs - NOW_MS;
  }

  #peersOf({ id, templateHash }: PodState): number {
    const isOther = (hash: string) => fateOf(hash) === 'otherMesh';
    const others = [...this.pods.values()].filter((one) => one.id !== id && isActive(one.life, this.nowMs));
    return others.filter((one) => isOther(one.templateHash) === isOther(templateHash)).length;
  }

  /** A new member copies its share from others, over the mesh. */
  #isAloneInItsMesh(hash: string): boolean {
    const isOther = (one: string): boolean => fateOf(one) === 'otherMesh';
    const active = [...this.pods.values()].filter(({ life }) => isActive(life, this.nowMs));
    return active.length > 0 && !active.some(({ templateHash }) => isOther(templateHash) === isOther(hash));
  }

  #isolatedSince(id: string | undefined, target: NodeRecord | undefined): number | undefined {
    const state = target === undefined ? undefined : this.pods.get(target.id);
    const isOut =
      target !== undefined &&
      target.intent !== 'Active' &&
      !target.serving &&
      state !== undefined &&
      isOutOfService(state);
    if (id === undefined || !isOut) this.#isolated = undefined;
    else if (this.#isolated?.id !== id) this.#isolated = { id, sinceMs: this.monotonicMs };
    return this.#isolated?.sinceMs;
  }

  #report(): ComparisonReport | undefined {
    const { comparison, monotonicMs } = this;
    if (comparison === undefined) return undefined;
    const { request, startedMs } = comparison;
    const lacking = request.members.filter(({ nodeId }) => this.#lacksOf(nodeId, request));
    const isCovered = monotonicMs >= comparison.doneMs && lacking.length === 0;
    if (isCovered && (comparison.coveredMs === undefined || request.isKeptFresh)) comparison.coveredMs = monotonicMs;
    const { coveredMs } = comparison;
    if (coveredMs !== undefined)
      return reportOn(request, {
        startedAtMs: startedMs,
        coveredAtMs: coveredMs,
        sweptAtMs: coveredMs,
        scannedAtMs: startedMs,
        movedAtMs: coveredMs,
      });
    const [source = 0] = request.sources;
    const isScanned = monotonicMs >= comparison.doneMs;
    const missing = isScanned
      ? lacking.map(({ nodeId: homeId }) => ({ sourceId: source, homeId, partitions: 1, records: 1 }))
      : [];
    return reportOn(request, {
      ...running(missing),
      startedAtMs: startedMs,
      scannedAtMs: isScanned ? startedMs : undefined,
      movedAtMs: monotonicMs,
    });
  }

  /** Some home lacks what a source has. */
  #lacksOf(id: number, { sources }: ComparisonRequest): boolean {
    const isSourceAlone = sources.length === 1 && sources[0] === id;
    return !isSourceAlone && this.pods.get(id)?.life?.lacks !== false;
  }

  #comeToLife(): void {
    for (const state of this.pods.values()) {
      const fate = fateOf(state.templateHash);
      if (
        state.life?.activeAtMs === Number.POSITIVE_INFINITY &&
        fate !== 'neverJoins' &&
        !this.#isAloneInItsMesh(state.templateHash)
      )
        state.life.activeAtMs = this.nowMs + 2_000;
      if (state.life !== undefined || state.endsAtMs !== undefined || this.nowMs < state.startsAtMs) continue;
      if (fate === 'runs' || fate === 'otherMesh' || fate === 'neverJoins')
        state.life = this.#born(state, state.startsAtMs);
    }
  }

  #born({ id, templateHash }: PodState, bornMs: number): Life {
    const isNever = fateOf(templateHash) === 'neverJoins' || (!this.holds(id) && this.#isAloneInItsMesh(templateHash));
    const activeAtMs = isNever ? Number.POSITIVE_INFINITY : bornMs + 2_000 + this.draw() * 6_000;
    return {
      generation: 1_767_300_000 + this.serial(),
      bornMs,
      activeAtMs,
      caughtUpAtMs: activeAtMs + this.draw() * 25_000,
      isLeaving: false,
      lacks: this.holds(id),
      silentUntilMs: 0,
      silentSinceMs: 0,
    };
  }

  #endLife(state: PodState): void {
    const { life, id } = state;
    if (life === undefined) return;
    const hasPrimaries = isActive(life, this.nowMs) && !life.isLeaving;
    this.#ghosts.push({
      line: { id, generation: life.generation, hasPrimaries },
      untilMs: this.nowMs + 1_500 + this.draw() * 2_500,
    });
    state.life = undefined;
  }

  /** By its own probes, once a second. */
  #drainSealed(): void {
    for (const { isSealed, life } of this.pods.values())
      if (isSealed && isActive(life, this.nowMs - 1_000)) life.isLeaving = true;
  }

  #isListed(id: number): boolean {
    return this.pods.get(id)?.life !== undefined;
  }

  /** A member that is back gets what it missed from one that has it; if none has it, what they have together is all. */
  #catchUp(): void {
    const active = [...this.pods.values()].flatMap(({ id, life }) =>
      isActive(life, this.nowMs) ? [{ id, life }] : [],
    );
    const isSomebodyWhole = active.some(({ life }) => !life.lacks);
    const isDue = ({ life }: { readonly life: Life }) => life.caughtUpAtMs <= this.nowMs;
    if (isSomebodyWhole || active.every(isDue)) for (const one of active) if (isDue(one)) one.life.lacks = false;
    for (const { id } of active) {
      const uid = this.volumes.get(id)?.uid;
      if (uid !== undefined) this.written.add(uid);
    }
  }
}

function ownedOf(view: readonly ViewLine[], id: number): number | undefined {
  return ownedCounts(
    view.map((line) => line.id),
    2,
  ).get(id);
}
