// Answers: has the target let go of its clients? It is nobody's first home, no client is connected, nothing comes in.
// The figures of clients count only where nobody of ours spoke to it meanwhile (sample.ts: isUndisturbed).

import { hold } from '../hold.ts';
import { viewKey } from '../membership.ts';
import type { NodeRecord } from '../observation.ts';
import { type Witness, witnessesOf } from './answers.ts';
import { type Check, failed, passed } from './checks.ts';
import type { MemberHistory } from './sample.ts';
import { shownWindow } from './shown-list.ts';
import { commonStart, firstSince, type Window } from './window.ts';

export interface IsolationInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
  /** Since when it has been told to leave and out of the Service; undefined while it is not. */
  readonly asideSinceMs: number | undefined;
}

/** noPrimaries, noClients, inputFlat, in this order. */
export function isolationChecks(input: IsolationInput): readonly Check[] {
  const witnesses = witnessesOf(input.nodes, input.histories, input.monotonicMs);
  return isolationOf(witnesses, { ...input, targetId: input.target.id }).checks;
}

export interface Isolation {
  readonly checks: readonly Check[];
  /** Since when all of them hold, monotonic; undefined while one does not. */
  readonly sinceMs: number | undefined;
}

/** A member that could not come back from an earlier removal has no primaries all the time: what it took while it was in the
 *  Service again only shows in the rounds since it is out of it. */
export function isolationOf(
  witnesses: readonly Witness[],
  {
    targetId,
    monotonicMs,
    asideSinceMs,
  }: Pick<IsolationInput, 'monotonicMs' | 'asideSinceMs'> & { readonly targetId: number },
): Isolation {
  const primaries = noPrimaries(witnesses, targetId);
  const target = witnesses.find(({ node }) => node.id === targetId);
  const shownMs = primaries.passed ? commonStart(shownWindows(witnesses)) : undefined;
  const sinceMs = shownMs === undefined || asideSinceMs === undefined ? undefined : Math.max(shownMs, asideSinceMs);
  const clients = noClients(target, monotonicMs);
  const input = inputFlat(target, sinceMs);
  const checks = [primaries, clients, input.check];
  return { checks, sinceMs: checks.every((check) => check.passed) ? input.sinceMs : undefined };
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

/** Since when each member has shown what it shows now, the target without primaries, without a gap. */
function shownWindows(witnesses: readonly Witness[]): readonly Window[] {
  return witnesses.flatMap(({ history }) => (history === undefined ? [] : [shownWindow(history)]));
}

/** How old the last reading of the number of clients may be; every few samples one is undisturbed. */
const CLIENTS_LIFETIME_MS = 8_000;

function noClients(target: Witness | undefined, monotonicMs: number): Check {
  const name = 'noClients';
  const who = target?.node.name ?? 'the target';
  const lifetimeMs = Math.max(CLIENTS_LIFETIME_MS, 4 * (target?.history?.intervalMs ?? 0));
  const reading = target?.history?.samples.findLast((sample) => sample.isUndisturbed && sample.clients !== undefined);
  if (target?.last === undefined || reading?.clients === undefined || monotonicMs - reading.atMs > lifetimeMs)
    return failed(name, 'unknown', hold('WaitingForProof', `the number of clients of ${who} is not known yet`));
  const { clients } = reading;
  if (clients === 0) return passed(name, '0 clients');
  const text = clients === 1 ? '1 client' : `${clients} clients`;
  return failed(name, text, hold('ClientsConnected', `${who} still has ${text} connected`));
}

/** Input that stood still for less, all undisturbed stretches together, proves nothing. */
const FLAT_INPUT_MS = 1_000;

/** The target's input has stood still over at least a second in which nobody of ours spoke to it, and moved in none since. */
function inputFlat(
  target: Witness | undefined,
  sinceMs: number | undefined,
): { readonly check: Check; readonly sinceMs: number | undefined } {
  const name = 'inputFlat';
  const who = target?.node.name ?? 'the target';
  const run = sinceMs === undefined || target?.last === undefined ? undefined : inputRun(target.history, sinceMs);
  if (run?.isProven === true) return { check: passed(name, 'no input'), sinceMs: run.flatSinceMs };
  const wait =
    run?.hasMoved === true
      ? hold('ClientsConnected', `something still sends to ${who}`)
      : hold('WaitingForProof', `whether something still sends to ${who} is not known yet`);
  return { check: failed(name, run?.hasMoved === true ? 'input' : 'unknown', wait), sinceMs: undefined };
}

/** Of a stretch in which we spoke to it nothing is said; of one in which we did not, what came in is the clients'. */
function inputRun(history: MemberHistory | undefined, sinceMs: number) {
  const samples = history?.samples ?? [];
  let flatSinceMs = sinceMs;
  let flatMs = 0;
  let hasMoved = false;
  for (let i = firstSince(samples, sinceMs) + 1; i < samples.length; i += 1) {
    const [before, sample] = [samples[i - 1], samples[i]];
    if (before?.inputBytes === undefined || sample?.inputBytes === undefined) continue;
    if (!sample.isUndisturbed || !sample.isContinuous) continue;
    if (sample.inputBytes === before.inputBytes) {
      flatMs += sample.atMs - before.atMs;
      continue;
    }
    flatSinceMs = sample.atMs;
    flatMs = 0;
    hasMoved = true;
  }
  return { flatSinceMs, isProven: flatMs >= FLAT_INPUT_MS, hasMoved };
}
