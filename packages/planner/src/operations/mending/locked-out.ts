// Answers: may a member that accepts no known password be restarted, which gives it that of its Secret? Nothing else
// reaches it: a password put into the Secret while no operator ran is known nowhere. One at a time, and only while all
// others are up and whole: what they refuse to say over RESP shows in their metrics, and contents want no password
// (docs/decisions/passwords.md). Pure.

import { absence, agreementOf, membersAnswer, type Witness, witnessesOf } from '../../evidence/answers.ts';
import { type CheckName, firstHold, type Holds } from '../../evidence/checks.ts';
import { retryAtMs } from '../../evidence/preflight/preflight.ts';
import { nobodyLeaving } from '../../evidence/preflight/preflight-checks.ts';
import { presentChecks } from '../../evidence/present-checks.ts';
import { hasLostVolume, isLockedOut } from '../../members/member-state.ts';
import { needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { clockText, type Hold, hold, namesOf } from '../../values/hold.ts';
import { NO_PASSWORD, secretOfSource } from '../../values/password-source.ts';
import { begun, none, type OperationPlan, operationId, rollOf, store } from '../record.ts';

/** A person who has the old password has this long to put it beside the new one: then no member is restarted. */
export const LOCKED_PATIENCE_MS = 60_000;

/** UIDs of all nodes but this one: in its turn, the metrics of the others may stand in for their answers. */
export function othersThan({ nodes }: Pick<ClusterObservation, 'nodes'>, { uid }: NodeRecord): ReadonlySet<string> {
  return new Set(nodes.flatMap((node) => (node.uid === uid ? [] : [node.uid])));
}

/** A locked-out member is to be restarted, now or as soon as something lets it. */
export function isUnlockingPending(o: ClusterObservation): boolean {
  const { isFormed, isDeleting, spec, operation } = o.cluster;
  if (!isFormed || isDeleting || spec.paused || operation !== undefined) return false;
  return lockedMembers(o).length > 0 && whatForbids(o) === undefined;
}

/** Claims such a turn when one is due, or says what blocks it. */
export function planUnlocking(o: ClusterObservation): OperationPlan {
  const node = lockedMembers(o).find((one) => isDue(o, one));
  if (node === undefined) return none();
  const missing = whatKeeps(o, node);
  if (missing !== undefined)
    return none({ ...missing, message: `restarting ${node.name} for its password waits: ${missing.message}` });
  const roll = rollOf(node, node.templateHash, 'Password');
  const chosen = `it takes no password that is known, and is started with ${wantedText(o)}`;
  return store(begun(o, operationId(node, o), { type: 'Roll', chosen, roll }));
}

/** Tells a person which members are locked out, what will be done automatically and when, and how to avoid it. */
export function lockedHold(o: ClusterObservation): Hold | undefined {
  const { isFormed, password, namespace } = o.cluster;
  const locked = lockedMembers(o);
  const [first] = locked;
  if (!isFormed || first === undefined || password === undefined) return undefined;
  const names = namesOf(locked);
  const who = locked.length === 1 ? `${names} takes` : `${names} take`;
  const forbidden = whatForbids(o);
  const secret = secretOfSource(password.asked);
  const spared =
    secret === undefined
      ? ''
      : `; the previous password under ${secret.key}-previous of Secret ${secret.name} would avoid that`;
  const way =
    forbidden === undefined
      ? `restarted one at a time, each on its volume, ${whenText(o, first)}, which gives them ${wantedText(o)}${spared}`
      : `not restarted by itself, since ${forbidden}: kubectl mkv restart ${first.name} -n ${namespace} gives it the password of its Secret${spared}`;
  return hold('PasswordRefused', `${who} no password that is known here: ${way}`, true);
}

function whenText({ cluster: { operation } }: ClusterObservation, first: NodeRecord): string {
  const isOther = operation !== undefined && operation.roll?.cause !== 'Password';
  return isOther ? `when operation ${operation.id} has ended` : `from ${clockText(dueMs(first))} on`;
}

function lockedMembers({ nodes }: ClusterObservation): readonly NodeRecord[] {
  return nodes.filter((node) => isLockedOut(node) && !needsReplacement(node));
}

function isDue(o: ClusterObservation, node: NodeRecord): boolean {
  return o.nowMs >= dueMs(node);
}

function dueMs({ answer }: NodeRecord): number {
  return answer.kind === 'silent' ? answer.sinceMs + LOCKED_PATIENCE_MS : Number.POSITIVE_INFINITY;
}

/** Why no member is restarted automatically; undefined when they are. */
function whatForbids(o: ClusterObservation): string | undefined {
  const { password, spec, rollout } = o.cluster;
  if (spec.paused) return 'spec.paused is true';
  if (password?.isUsable !== true) return 'the Secret of the spec has none that can be used';
  // A Pod is started with the password in force: nothing would ask for another one.
  if (password.asked !== password.stamped) return 'another Secret is on its way to the members';
  if (spec.update.type === 'OnDelete') return 'spec.update.type is OnDelete';
  if (rollout.isPaused) return 'restarts are paused';
  const retryMs = hasFailed(o) ? retryAtMs(o) : undefined;
  return retryMs === undefined ? undefined : `a restart did not help; the next one is tried at ${clockText(retryMs)}`;
}

/** A restart did not give the member a password that it accepts: something else sets its password. */
function hasFailed({ cluster: { lastOperation } }: ClusterObservation): boolean {
  return lastOperation?.reason === 'PasswordRefused' && lastOperation.outcome === 'Failed';
}

interface Unlocking {
  readonly o: ClusterObservation;
  readonly node: NodeRecord;
  readonly witnesses: readonly Witness[];
}

/** All others have to be up, whole, and there to stay. Those that cannot be asked for a list are judged by their
 *  metrics. */
const HOLDS: Holds<'Unlock', Unlocking> = {
  // A node that only needs replacement is kept until then, and is a home like any other.
  everyVolumeKept: ({ o }) => {
    const lost = o.nodes.find(hasLostVolume);
    return lost === undefined ? undefined : hold('VolumeLost', `the volume of ${lost.name} is gone`);
  },
  nobodyLeaving,
  othersUp: ({ o, node }) =>
    o.nodes
      .filter(({ uid }) => uid !== node.uid)
      .map(absence)
      .find((found) => found !== undefined),
  membersAnswer: ({ witnesses }) => membersAnswer(witnesses).hold,
  viewsAgree: ({ witnesses }) =>
    witnesses.every(({ isUnlisting }) => isUnlisting === true) ? undefined : agreementOf(witnesses).check.hold,
  placement: ({ witnesses }) => presentHold('placement', witnesses),
  meshComplete: ({ witnesses }) => presentHold('meshComplete', witnesses),
  noRejoin: ({ witnesses }) => presentHold('noRejoin', witnesses),
};

function presentHold(asked: CheckName, witnesses: readonly Witness[]): Hold | undefined {
  return presentChecks(witnesses).find(({ name }) => name === asked)?.hold;
}

function whatKeeps(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  const { nodes } = o;
  if (o.isInLine)
    return hold('RolloutInLine', 'members of a few clusters are restarted at a time, and others were first');
  const witnesses = witnessesOf(nodes, o.facts, o.monotonicMs, new Set(nodes.map(({ uid }) => uid)));
  return firstHold('Unlock', HOLDS, { o, node, witnesses });
}

function wantedText({ cluster: { password } }: ClusterObservation): string {
  const secret = secretOfSource(password?.asked ?? NO_PASSWORD);
  return secret === undefined ? 'none, as the spec says' : `that of Secret ${secret.name}, key ${secret.key}`;
}
