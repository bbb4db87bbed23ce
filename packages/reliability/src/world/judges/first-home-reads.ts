// Reads what was acknowledged a second ago at the first home of its key, like clients that know homes: a home answers
// from its own store alone (docs/design/server.md#reads). A member in its turn of a rolling update shows itself as a
// home before it has what it missed, which is how the server works; every other home must have it.

import { contains, partitionOf, type SimulatedMember, type Version } from '@marekvs/simulator';
import { NAME, NAMESPACE, type WorldView } from '../cluster/world-view.ts';

const AFTER_MS = 1_000;
const CHECK_MS = 250;
const SHOWN_KEYS = 3;

/** What was acknowledged of each record at one moment. */
interface Acknowledged {
  readonly atMs: number;
  readonly records: readonly Version[];
}

/** Reads from now on, until `isOver`. Only for clients that set one key at a time: an MSET through a member that is no
 *  home reaches the homes later (docs/design/server.md#what-pushing-misses), and each home of a counter may lack a
 *  little. */
export function judgeReads(view: WorldView, isOver: () => boolean): void {
  const { clock, ledger } = view.kube;
  const told: Acknowledged[] = [];
  const check = (): void => {
    if (isOver()) return;
    told.push({ atMs: clock.now(), records: [...ledger.readable()] });
    while ((told[1]?.atMs ?? Number.POSITIVE_INFINITY) <= clock.now() - AFTER_MS) told.shift();
    const [oldest] = told;
    if (oldest !== undefined && oldest.atMs <= clock.now() - AFTER_MS) readAll(view, oldest.records);
    clock.after(CHECK_MS, check);
  };
  check();
}

function readAll(view: WorldView, records: readonly Version[]): void {
  const members = letIn(view);
  const [placement, ...others] = new Set(members.map((member) => member.view.placement));
  // Right after a change the members disagree, and the first home depends on which member is asked.
  if (placement === undefined || others.length > 0) return;
  const turn = view.cluster()?.status?.operation?.roll?.nodeId;
  const readable = new Map(members.map((member) => [member.settings.nodeId, member]));
  const old = records.flatMap((record) => {
    const { key, value } = record;
    const home = placement.owners[partitionOf(key)]?.[0];
    const member = home === undefined || home === turn ? undefined : readable.get(home);
    if (member === undefined) return [];
    const held = member.store.get(key);
    if (held !== undefined && contains(held, record)) return [];
    return [`${key} = ${value}, at demo-${home} ${held?.value || 'nothing'}`];
  });
  if (old.length > 0)
    view.kube.violated(
      `${old.length} keys are read older at their first home than was acknowledged a second before: ${old.slice(0, SHOWN_KEYS).join('; ')}`,
    );
}

/** The members behind the client Service that answer. */
function letIn({ kube }: WorldView): readonly SimulatedMember[] {
  const { endpoints, network } = kube;
  return endpoints.of(`${NAMESPACE}/${NAME}`).flatMap((address) => {
    const process = network.nameAt(address);
    const isThere = process !== undefined && network.isRespOpen(process) && !network.isFrozen(process);
    return isThere ? [network.member(process)] : [];
  });
}
