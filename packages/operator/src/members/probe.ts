// Asks one member once and returns its answer as the planner reads it. Besides comparisons and commands, the only place
// where the operator talks to members. Reads only; silence is an answer, too.

import { PARTITIONS, SLOTS } from '@marekvs/api';
import type { PasswordSource, ViewLine } from '@marekvs/planner';
import {
  type CallOptions,
  type ClusterInfo,
  digestOfNodes,
  type MemberAddress,
  type MemberLine,
  type MemberMetrics,
  type Outcome,
  StoreAuthError,
  type StoreClient,
  StoreError,
  StoreUnreachableError,
} from '@marekvs/store-client';

/** The result of one probe. `serving` carries the member's own list; `joining` means that the member runs and serves no
 *  commands yet. */
export type ProbeResult =
  | {
      readonly kind: 'serving';
      readonly view: readonly ViewLine[];
      readonly digest: string;
      /** Undefined when the figures did not come or were not asked for. */
      readonly metrics: MemberMetrics | undefined;
      /** The list is the known one: the answer shows that it has not changed, so it was not asked for. */
      readonly isBrief?: true;
      /** Whether it requires a password; it then took ours. Absent in a brief answer that did not ask. */
      readonly isGuarded?: boolean;
      /** The source of the password it took, and whether that is an earlier value (ask-member.ts). */
      readonly wants?: PasswordSource;
      readonly hasOldPassword?: true;
      /** Marks by which the next probe can tell that the list is unchanged; undefined when it was not asked for. */
      readonly marks?: ListMarks;
      /** The id of the member whose list it is; undefined when the marks say so. */
      readonly listOf?: number;
    }
  | { readonly kind: 'joining'; readonly metrics: MemberMetrics }
  /** Only the figures were asked for. */
  | { readonly kind: 'figures'; readonly metrics: MemberMetrics }
  | {
      readonly kind: 'silent';
      readonly error: string;
      readonly isUnauthorized: boolean;
      readonly isInvalid: boolean;
      /** Of a member that takes no password of ours: its figures need none. */
      readonly metrics?: MemberMetrics;
    };

/** While these are unchanged, so is the list of the member (docs/design/server.md#cluster-commands). */
export interface ListMarks {
  readonly nodeId: number;
  readonly info: ClusterInfo;
  /** Client connections at the last glance. */
  readonly clients: number | undefined;
}

/** How much is asked, from most to least: list and figures; figures, and whether the list is unchanged; figures alone;
 *  whether the list is unchanged, and figures only if a client has connected or left. All but the first fall back to
 *  asking for the list when something has changed. */
export type ProbeDepth = 'whole' | 'figuresAndGlance' | 'figures' | 'glance';

/** What is known of a member that served when it was last asked. */
export interface KnownMember {
  readonly depth: Exclude<ProbeDepth, 'whole'>;
  readonly view: readonly ViewLine[];
  readonly digest: string;
  readonly metrics: MemberMetrics;
  readonly marks: ListMarks | undefined;
}

/** Called while a probe runs, so that its answers get the time of their questions. */
export interface ProbeWatch {
  /** The request for figures goes out now. A second one in the same probe replaces the first. */
  figuresAsked(): void;
  /** The request for the list of members goes out now. */
  listAsked(): void;
}

export interface ProbeOptions {
  /** Given when less than everything is enough: the list is asked for only if the answer shows that it may have
   *  changed. */
  readonly known?: KnownMember | undefined;
  /** Nothing is asked over its port for commands. @default false */
  readonly onlyFigures?: boolean;
  /** Most members that its list may name. @default the client's */
  readonly maxMembers?: number;
  readonly watch?: ProbeWatch;
}

export type Probe = (address: MemberAddress, signal: AbortSignal, options?: ProbeOptions) => Promise<ProbeResult>;

const NOBODY: ProbeWatch = { figuresAsked: () => {}, listAsked: () => {} };

interface To {
  readonly address: MemberAddress;
  readonly maxMembers: number | undefined;
  readonly signal: AbortSignal;
  readonly watch: ProbeWatch;
}

/** A probe over the member's metrics port and RESP port. Rejects only when `signal` is aborted.
 *  The RESP port opens once a member is Active (docs/design/server.md#resp), so a refused connection there means
 *  joining. */
export function createProbe(store: StoreClient): Probe {
  const figures = ({ address, signal, watch }: To) => {
    watch.figuresAsked();
    return outcomeOf(store.metrics(address, { signal }), signal);
  };
  const list = async ({ address, signal, watch, maxMembers }: To): Promise<Shown> => {
    const { answer, isGuarded } = await overResp({ signal, watch, maxMembers }, (call) =>
      outcomeOf(store.nodes(address, call), signal),
    );
    return { nodes: answer, isGuarded };
  };
  const glance = ({ address, signal, watch, maxMembers }: To) =>
    overResp({ signal, watch, maxMembers }, (call) => outcomeOf(store.glance(address, call), signal));
  const both = async ({ address, signal, watch, maxMembers }: To): Promise<ProbeResult> => {
    watch.figuresAsked();
    const { answer, isGuarded } = await overResp({ signal, watch, maxMembers }, (call) => store.poll(address, call));
    const { metrics, view } = answer;
    if (view.kind === 'failed') return answerOf(metrics, { nodes: view, isGuarded });
    const { nodes, info } = view.value;
    return answerOf(metrics, { nodes: { kind: 'answered', value: nodes }, isGuarded, marks: marksOf(nodes, info) });
  };

  async function askFigures(to: To): Promise<ProbeResult> {
    const metrics = await figures(to);
    return metrics.kind === 'failed' ? silent(metrics.error) : { kind: 'figures', metrics: metrics.value };
  }

  async function onlyGlance(to: To, known: KnownMember): Promise<ProbeResult> {
    const { answer: seen, isGuarded } = await glance(to);
    // Nothing more is asked: the next probe is a whole one, and comes soon.
    if (seen.kind === 'failed') return silent(seen.error);
    if (!isListUnchanged(seen.value, known.marks)) return both(to);
    const same = { ...unchanged(known, undefined), isGuarded, marks: seen.value };
    if (!hasComeOrGone(seen.value, known.marks)) return same;
    const metrics = await figures(to);
    if (metrics.kind === 'failed') return same;
    return isSame(metrics.value, known.metrics)
      ? { ...same, metrics: metrics.value }
      : answerOf(metrics, await list(to));
  }

  async function figuresFirst(to: To, known: KnownMember): Promise<ProbeResult> {
    const metrics = await figures(to);
    if (metrics.kind === 'failed') return both(to);
    if (!isSame(metrics.value, known.metrics)) return answerOf(metrics, await list(to));
    const same = unchanged(known, metrics.value);
    if (known.depth === 'figures') return same;
    const { answer: seen, isGuarded } = await glance(to);
    if (seen.kind === 'failed') return answerOf(metrics, { nodes: seen, isGuarded });
    if (!isListUnchanged(seen.value, known.marks)) return answerOf(metrics, await list(to));
    return { ...same, isGuarded, marks: seen.value };
  }

  return async (address, signal, { known, onlyFigures = false, maxMembers, watch = NOBODY } = {}) => {
    const to = { address, signal, maxMembers, watch };
    if (onlyFigures) return askFigures(to);
    if (known === undefined) return both(to);
    return known.depth === 'glance' ? onlyGlance(to, known) : figuresFirst(to, known);
  };
}

/** Asks over one connection to the RESP port, and notes whether it took our password. */
async function overResp<T>(
  { signal, watch, maxMembers }: Pick<To, 'signal' | 'watch' | 'maxMembers'>,
  ask: (call: CallOptions) => Promise<T>,
): Promise<{ readonly answer: T; readonly isGuarded: boolean }> {
  watch.listAsked();
  let isGuarded = false;
  const onGuarded = () => {
    isGuarded = true;
  };
  const answer = await ask({ signal, maxMembers, onGuarded });
  return { answer, isGuarded };
}

function unchanged({ view, digest }: KnownMember, metrics: MemberMetrics | undefined) {
  return { kind: 'serving', view, digest, metrics, isBrief: true } as const;
}

function marksOf(nodes: readonly MemberLine[], info: ClusterInfo): ListMarks | undefined {
  const own = nodes.find(({ myself }) => myself);
  return own === undefined ? undefined : { nodeId: own.id, info, clients: undefined };
}

/** True for the same process of the same member, which has counted no change of its view since. */
function isListUnchanged({ nodeId, info }: ListMarks, before: ListMarks | undefined): boolean {
  return (
    before !== undefined &&
    nodeId === before.nodeId &&
    info.myEpoch === before.info.myEpoch &&
    info.currentEpoch === before.info.currentEpoch &&
    info.knownNodes === before.info.knownNodes &&
    info.size === before.info.size
  );
}

function hasComeOrGone({ clients }: ListMarks, before: ListMarks | undefined): boolean {
  return before?.clients !== undefined && clients !== before.clients;
}

/** True for the same member in the same membership, by its own figures. */
function isSame(now: MemberMetrics, before: MemberMetrics): boolean {
  return (
    now.nodeId === before.nodeId &&
    now.clusterMembers === before.clusterMembers &&
    now.ownedPartitions === before.ownedPartitions &&
    (now.upSeconds ?? 0) >= (before.upSeconds ?? 0)
  );
}

/** The answer of the RESP port. */
interface Shown {
  readonly nodes: Outcome<readonly MemberLine[]>;
  readonly isGuarded: boolean;
  readonly marks?: ListMarks | undefined;
}

function answerOf(metrics: Outcome<MemberMetrics>, { nodes, isGuarded, marks }: Shown): ProbeResult {
  if (nodes.kind === 'answered') {
    const own = marks === undefined ? nodes.value.find(({ myself }) => myself) : undefined;
    return {
      kind: 'serving',
      view: nodes.value.map(toViewLine),
      digest: digestOfNodes(nodes.value),
      metrics: metrics.kind === 'answered' ? metrics.value : undefined,
      ...(isGuarded ? { isGuarded } : {}),
      ...(marks === undefined ? {} : { marks }),
      ...(own === undefined ? {} : { listOf: own.id }),
    };
  }
  if (metrics.kind === 'failed') return silent(metrics.error);
  if (nodes.error instanceof StoreUnreachableError && nodes.error.reason === 'refused') {
    return { kind: 'joining', metrics: metrics.value };
  }
  const unheard = silent(nodes.error);
  return unheard.isUnauthorized ? { ...unheard, metrics: metrics.value } : unheard;
}

/** Turns a failure of the member into a value. An abort or an error of ours stays a rejection. */
async function outcomeOf<T>(answer: Promise<T>, signal: AbortSignal): Promise<Outcome<T>> {
  try {
    return { kind: 'answered', value: await answer };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof StoreError) return { kind: 'failed', error };
    throw error;
  }
}

function toViewLine(line: MemberLine): ViewLine {
  const { id, generation, primarySlots } = line;
  return { id, generation, hasPrimaries: primarySlots > 0, primaryPartitions: (primarySlots * PARTITIONS) / SLOTS };
}

function silent(error: StoreError): Extract<ProbeResult, { kind: 'silent' }> {
  return {
    kind: 'silent',
    error: error.message,
    isUnauthorized: error instanceof StoreAuthError,
    isInvalid: !(error instanceof StoreUnreachableError) && !(error instanceof StoreAuthError),
  };
}
