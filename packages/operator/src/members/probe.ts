// Asks one member once and says what it answered, in the planner's words. Besides the comparisons and /drain, the only place where the
// operator talks to members. Reads only; a member that does not answer in time is an answer too.

import type { ViewLine } from '@marekvs/planner';
import {
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

/** What one question brought. `serving` carries the member's own list; `joining` means it runs and serves no commands yet. */
export type ProbeResult =
  | {
      readonly kind: 'serving';
      readonly view: readonly ViewLine[];
      readonly digest: string;
      readonly metrics: MemberMetrics | undefined;
      /** The list is the known one: by the figures it has not changed, and it was not asked for. */
      readonly isBrief?: true;
      /** It took our password: it wants one. A brief probe does not ask. */
      readonly isGuarded?: true;
    }
  | { readonly kind: 'joining'; readonly metrics: MemberMetrics }
  | { readonly kind: 'silent'; readonly error: string; readonly isUnauthorized: boolean; readonly isInvalid: boolean };

/** What is known of a member that served when it was last asked. */
export interface KnownMember {
  readonly view: readonly ViewLine[];
  readonly digest: string;
  readonly metrics: MemberMetrics;
}

/** Is told what a probe does while it does it: our own connections show in the member's figures. */
export interface ProbeWatch {
  /** The question for figures goes out now. A second one in the same probe replaces the first. */
  figuresAsked(): void;
  figuresRead(): void;
  /** We connect to the RESP port now; the returned function is called when we are done there, or have failed. */
  respAsked(): (hasFailed: boolean) => void;
}

export interface ProbeOptions {
  /** Given when a brief probe is enough: the list of members is asked for only if the figures say that it may have changed. */
  readonly known?: KnownMember | undefined;
  /** First the figures and only then the list, so that the figures do not show our own connection. @default both at once */
  readonly isOrdered?: boolean;
  readonly watch?: ProbeWatch;
}

export type Probe = (address: MemberAddress, signal: AbortSignal, options?: ProbeOptions) => Promise<ProbeResult>;

const NOBODY: ProbeWatch = { figuresAsked: () => {}, figuresRead: () => {}, respAsked: () => () => {} };

/** A probe over the member's metrics port and RESP port. Rejects only when `signal` is aborted.
 *  The RESP port opens once a member is Active (docs/design/server.md#resp), so a refused connection there means joining. */
export function createProbe(store: StoreClient): Probe {
  const figures = async (address: MemberAddress, signal: AbortSignal, watch: ProbeWatch) => {
    watch.figuresAsked();
    const metrics = await outcomeOf(store.metrics(address, { signal }), signal);
    watch.figuresRead();
    return metrics;
  };
  const list = async (address: MemberAddress, signal: AbortSignal, watch: ProbeWatch): Promise<Shown> => {
    const done = watch.respAsked();
    let hasFailed = true;
    let isGuarded = false;
    const onGuarded = () => {
      isGuarded = true;
    };
    try {
      const nodes = await outcomeOf(store.nodes(address, { signal, onGuarded }), signal);
      hasFailed = nodes.kind === 'failed';
      return { nodes, isGuarded };
    } finally {
      done(hasFailed);
    }
  };
  const both = async (address: MemberAddress, signal: AbortSignal, watch: ProbeWatch) => {
    watch.figuresAsked();
    const done = watch.respAsked();
    let hasFailed = true;
    let isGuarded = false;
    const onGuarded = () => {
      isGuarded = true;
    };
    try {
      const { metrics, view } = await store.poll(address, { signal, onGuarded });
      watch.figuresRead();
      hasFailed = view.kind === 'failed';
      const nodes = view.kind === 'answered' ? { kind: view.kind, value: view.value.nodes } : view;
      return answerOf(metrics, { nodes, isGuarded });
    } finally {
      done(hasFailed);
    }
  };

  return async (address, signal, { known, isOrdered = false, watch = NOBODY } = {}) => {
    if (known === undefined && !isOrdered) return both(address, signal, watch);
    const metrics = await figures(address, signal, watch);
    if (metrics.kind === 'failed' && !isOrdered) return both(address, signal, watch);
    if (metrics.kind === 'answered' && known !== undefined && isSame(metrics.value, known.metrics))
      return { kind: 'serving', view: known.view, digest: known.digest, metrics: metrics.value, isBrief: true };
    return answerOf(metrics, await list(address, signal, watch));
  };
}

/** The same member in the same membership, by its own figures. */
function isSame(now: MemberMetrics, before: MemberMetrics): boolean {
  return (
    now.nodeId === before.nodeId &&
    now.clusterMembers === before.clusterMembers &&
    now.ownedPartitions === before.ownedPartitions &&
    (now.upSeconds ?? 0) >= (before.upSeconds ?? 0)
  );
}

/** What the RESP port brought. */
interface Shown {
  readonly nodes: Outcome<readonly MemberLine[]>;
  readonly isGuarded: boolean;
}

function answerOf(metrics: Outcome<MemberMetrics>, { nodes, isGuarded }: Shown): ProbeResult {
  if (nodes.kind === 'answered') {
    return {
      kind: 'serving',
      view: nodes.value.map(toViewLine),
      digest: digestOfNodes(nodes.value),
      metrics: metrics.kind === 'answered' ? metrics.value : undefined,
      ...(isGuarded ? { isGuarded } : {}),
    };
  }
  if (metrics.kind === 'failed') return silent(metrics.error);
  if (nodes.error instanceof StoreUnreachableError && nodes.error.reason === 'refused') {
    return { kind: 'joining', metrics: metrics.value };
  }
  return silent(nodes.error);
}

/** A failure of the member as a value; an abort or a mistake of ours stays a rejection. */
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
