// What a person who watches a cluster all the time sees of its removals: each status of each operation in order, and
// how many nodes were leaving at any moment. A watch shows every stored version, so nothing is missed.

import type { LastOperation, MarekvsCluster, MarekvsNode, Operation, OperationPhase } from '@marekvs/api';
import { eventually } from './eventually.ts';
import { ownPath } from './paths.ts';
import type { World } from './world.ts';

/** In the order of docs/design/contract.md#removing-a-node; `Cancelling` leads out of any of the first four. */
export const PHASES: readonly OperationPhase[] = [
  'Claimed',
  'Isolating',
  'Proving',
  'Deleting',
  'Departing',
  'Settling',
  'Reclaiming',
  'Closed',
];

/** One operation as the status showed it. */
export interface OperationSeen {
  readonly id: string;
  readonly target: string;
  /** Each stored version of the record. */
  readonly records: readonly Operation[];
  /** Without repetition. */
  readonly phases: readonly OperationPhase[];
  /** Reasons it was blocked for, without repetition. */
  readonly blocked: readonly string[];
}

export interface RemovalLog {
  operations(): readonly OperationSeen[];
  /** Every lastOperation, in order. */
  ended(): readonly LastOperation[];
  /** The most nodes with intent Leaving at one moment. */
  mostLeaving(): number;
  /** Names of nodes in the order in which they vanished; a name may come twice. */
  vanished(): readonly string[];
  /** Every message of the cluster's status, without repetition. */
  messages(): readonly string[];
  /** What the status said while it had an operation, with the target of that, without repetition. */
  saidOf(): readonly { readonly target: string; readonly message: string }[];
  /** Every reason of the condition Rescaling while it was True, without repetition. */
  rescaling(): readonly string[];
  /** Resolves with the record once the newest operation satisfies the predicate. @throws Error with what was seen,
   *  after `limitMs` */
  until(what: string, fits: (operation: Operation) => boolean, limitMs?: number): Promise<Operation>;
  /** Resolves when so many operations have ended since the log began. */
  untilEnded(count: number, limitMs?: number): Promise<readonly LastOperation[]>;
  stop(): void;
}

const DEFAULT_LIMIT_MS = 60_000;

interface Mutable {
  readonly id: string;
  readonly target: string;
  readonly records: Operation[];
}

export async function followRemovals({ watching }: World, namespace: string, name: string): Promise<RemovalLog> {
  const operations: Mutable[] = [];
  const ended: LastOperation[] = [];
  const messages: string[] = [];
  const saidOf = new Map<string, { readonly target: string; readonly message: string }>();
  const rescaling: string[] = [];
  const vanished: string[] = [];
  let known = new Map<string, string>();
  let mostLeaving = 0;
  let before: string | undefined;
  let isFirst = true;

  function takeCluster({ status }: MarekvsCluster): void {
    const last = status?.lastOperation;
    // Operations that ended before the log began are left out.
    if (isFirst) before = last?.id;
    isFirst = false;
    if (last !== undefined && last.id !== before && ended.at(-1)?.id !== last.id) ended.push(last);
    if (status?.operation !== undefined) takeOperation(status.operation);
    pushNew(messages, status?.message);
    const target = status?.operation?.target?.name ?? '';
    const message = status?.message ?? '';
    if (status?.operation !== undefined) saidOf.set(`${target} ${message}`, { target, message });
    const condition = status?.conditions?.find(({ type }) => type === 'Rescaling');
    if (condition?.status === 'True') pushNew(rescaling, condition.reason);
  }

  function takeOperation(operation: Operation): void {
    const { id, target } = operation;
    if (operations.at(-1)?.id !== id) operations.push({ id, target: target?.name ?? '', records: [] });
    const records = operations.at(-1)?.records;
    if (JSON.stringify(records?.at(-1)) !== JSON.stringify(operation)) records?.push(operation);
  }

  function takeNodes(nodes: readonly MarekvsNode[]): void {
    const own = nodes.filter(({ spec }) => spec.clusterName === name);
    mostLeaving = Math.max(mostLeaving, own.filter(({ spec }) => spec.intent === 'Leaving').length);
    const now = new Map(own.map(({ metadata }) => [metadata.uid, metadata.name]));
    for (const [uid, gone] of known) if (!now.has(uid)) vanished.push(gone);
    known = now;
  }

  const follows = await Promise.all([
    watching.follow<MarekvsCluster>(ownPath(namespace, 'marekvsclusters'), (all) => {
      const cluster = all.find(({ metadata }) => metadata.name === name);
      if (cluster !== undefined) takeCluster(cluster);
    }),
    watching.follow<MarekvsNode>(ownPath(namespace, 'marekvsnodes'), takeNodes),
  ]);

  const log: RemovalLog = {
    operations: () => operations.map(shown),
    ended: () => ended,
    mostLeaving: () => mostLeaving,
    vanished: () => vanished,
    messages: () => messages,
    saidOf: () => [...saidOf.values()],
    rescaling: () => rescaling,
    async until(what, fits, limitMs = DEFAULT_LIMIT_MS) {
      const look = (): Operation | undefined => operations.at(-1)?.records.find(fits);
      return eventually(what, look, limitMs).catch((cause: unknown) => {
        throw new Error(`${what}: ${describeLog(log)}`, { cause });
      });
    },
    async untilEnded(count, limitMs = DEFAULT_LIMIT_MS) {
      const look = (): readonly LastOperation[] | false => ended.length >= count && ended;
      return eventually(`${count} operations have ended`, look, limitMs).catch((cause: unknown) => {
        throw new Error(describeLog(log), { cause });
      });
    },
    stop: () => {
      for (const following of follows) following.stop();
    },
  };
  return log;
}

function shown({ id, target, records }: Mutable): OperationSeen {
  const phases: OperationPhase[] = [];
  const blocked: string[] = [];
  for (const { phase, blocked: hold } of records) {
    if (phases.at(-1) !== phase) phases.push(phase);
    pushNew(blocked, hold?.reason);
  }
  return { id, target, records, phases, blocked };
}

function pushNew<T>(list: T[], value: T | undefined): void {
  if (value !== undefined && !list.includes(value)) list.push(value);
}

/** The whole log in one line a person can read when a journey has failed. */
export function describeLog(log: RemovalLog): string {
  const operations = log.operations().map(({ target, phases, blocked, records }) => {
    const hold = records.at(-1)?.blocked;
    const waits = hold === undefined ? '' : ` waits for ${hold.reason}: ${hold.message}`;
    return `${target}: ${phases.join(' > ')} (blocked: ${blocked.join(', ') || 'never'})${waits}`;
  });
  const ended = log.ended().map(({ target, outcome, message }) => `${target?.name} ${outcome}: ${message}`);
  return `seen ${operations.join('; ') || 'no operation'}; ended ${ended.join('; ') || 'none'}; last said: ${log.messages().at(-1)}`;
}
