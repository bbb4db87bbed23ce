// Answers: has the target let go of its clients? It has no primaries, no client is connected, and nothing comes in. Our
// own connections are subtracted (member-facts.ts).

import { hold } from '../hold.ts';
import type { NodeRecord } from '../observation.ts';
import { viewKey } from '../view-line.ts';
import { shownSinceMs, type Witness, witnessesOf } from './answers.ts';
import { type Check, failed, passed } from './checks.ts';
import type { MemberFacts } from './member-facts.ts';

/** Before a restart, clients that stay are waited for no longer: their member is back within seconds, on its volume. */
export const CLIENT_PATIENCE_MS = 15_000;

export interface IsolationInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly facts: readonly MemberFacts[];
  readonly monotonicMs: number;
  /** Since when it has been told to leave and been out of the Service; undefined while it is not. */
  readonly isolatedSinceMs: number | undefined;
}

/** noPrimaries, noClients, inputFlat, in this order. */
export function isolationChecks(input: IsolationInput): readonly Check[] {
  const witnesses = witnessesOf(input.nodes, input.facts, input.monotonicMs);
  return isolationOf(witnesses, { ...input, targetId: input.target.id }).checks;
}

export interface Isolation {
  readonly checks: readonly Check[];
  /** Since when all of them hold, monotonic; undefined while one does not. */
  readonly sinceMs: number | undefined;
}

/** A member that could not come back from an earlier removal has no primaries all along. What it took while it was in
 *  the Service again is certain only since it left it, hence `isolatedSinceMs`. */
export function isolationOf(
  witnesses: readonly Witness[],
  { targetId, isolatedSinceMs }: Pick<IsolationInput, 'isolatedSinceMs'> & { readonly targetId: number },
): Isolation {
  const target = witnesses.find(({ node }) => node.id === targetId);
  const checks = [noPrimaries(witnesses, targetId), noClients(target), inputFlat(target, isolatedSinceMs)];
  const shownMs = shownSinceMs(witnesses);
  const aloneMs = target?.facts?.aloneSinceMs;
  const isIsolated = checks.every((check) => check.passed);
  if (!isIsolated || shownMs === undefined || aloneMs === undefined || isolatedSinceMs === undefined)
    return { checks, sinceMs: undefined };
  return { checks, sinceMs: Math.max(shownMs, aloneMs, isolatedSinceMs) };
}

/** Every member, the target included, shows all of them, and only the target without primaries. */
function noPrimaries(witnesses: readonly Witness[], targetId: number): Check {
  const name = 'noPrimaries';
  const target = witnesses.find(({ node }) => node.id === targetId)?.node.name ?? `member ${targetId}`;
  let rightKey: string | undefined;
  for (const { node, view } of witnesses) {
    if (view !== undefined && viewKey(view) === rightKey) continue;
    if (view === undefined) {
      const message = `${node.name} does not show whether ${target} still serves`;
      return failed(name, message, hold('MemberSilent', message));
    }
    const wrong = witnesses.find((other) => !isShownRight(view, other.node.id, targetId))?.node;
    if (wrong === undefined) {
      rightKey = viewKey(view);
      continue;
    }
    const line = view.find(({ id }) => id === wrong.id);
    if (line === undefined) {
      const message = `${node.name} does not show ${wrong.name}`;
      return failed(name, message, hold('ViewsDisagree', message));
    }
    const message = `${node.name} shows ${wrong.name} ${line.hasPrimaries ? 'with' : 'without'} primaries`;
    return failed(name, message, hold(wrong.id === targetId ? 'MemberLeaving' : 'MemberNotActive', message));
  }
  return passed(name, `none on ${target}`);
}

function isShownRight(view: NonNullable<Witness['view']>, id: number, targetId: number): boolean {
  return view.some((line) => line.id === id && line.hasPrimaries === (id !== targetId));
}

function noClients(target: Witness | undefined): Check {
  const name = 'noClients';
  const who = target?.node.name ?? 'the target';
  const clients = target?.last?.clients;
  if (clients === undefined || target?.facts === undefined)
    return failed(name, 'unknown', hold('WaitingForProof', `the number of clients of ${who} is not known yet`));
  if (target.facts.aloneSinceMs !== undefined) return passed(name, '0 clients');
  // One of them may be our own question: the next reading tells.
  const foreign = clients - (target.facts.last.own.isUnderWay ? 1 : 0);
  if (foreign <= 0)
    return failed(name, 'unknown', hold('WaitingForProof', `the number of clients of ${who} is not known yet`));
  const text = foreign === 1 ? '1 client' : `${foreign} clients`;
  return failed(name, text, hold('ClientsConnected', `${who} still has ${text} connected`));
}

/** How long nothing may come and go before the member counts as unused. */
const FLAT_INPUT_MS = 1_000;

/** Up to the last reading, and for at least a second since the member was isolated, only we were connected and nothing
 *  came in. */
function inputFlat(target: Witness | undefined, isolatedSinceMs: number | undefined): Check {
  const name = 'inputFlat';
  const who = target?.node.name ?? 'the target';
  const { aloneSinceMs, last } = target?.facts ?? {};
  // While a connection of ours was open nothing was judged: the next reading tells what came beside it.
  const isJudged = last?.own.isUnderWay === false;
  if (aloneSinceMs === undefined || isolatedSinceMs === undefined || !isJudged)
    return failed(name, 'unknown', hold('WaitingForProof', `whether something still sends to ${who} is not known yet`));
  if (last.atMs - Math.max(aloneSinceMs, isolatedSinceMs) >= FLAT_INPUT_MS) return passed(name, 'no input');
  if (aloneSinceMs <= isolatedSinceMs)
    return failed(name, 'unknown', hold('WaitingForProof', `whether something still sends to ${who} is not known yet`));
  return failed(name, 'input', hold('ClientsConnected', `something still connects to ${who}, or sends to it`));
}
