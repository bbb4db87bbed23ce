// What has to be true of every finished removal in any journey.

import { type LastOperation, pvcName } from '@marekvs/api';
import { expect } from 'chai';
import { groupPath } from './paths.ts';
import { describeLog, type OperationSeen, PHASES, type RemovalLog } from './removal-log.ts';
import type { EventSeen } from './seen.ts';
import type { World } from './world.ts';

/** The phases that every removal by proof stores before the DELETE. */
const STORED = ['Claimed', 'Deleting'] as const;
/** Phases that every removal by proof has gone through when it is over. Settling is stored only where the first
 *  comparison among the survivors finds something to wait for: a fast one ends the removal in the same write. */
const PASSED = [...STORED, 'Settling'] as const;

/** Every operation of the log succeeded, one after the other, each in the order of its phases, exactly
 *  these nodes in this order. */
export async function expectRemovals(log: RemovalLog, names: readonly string[]): Promise<void> {
  // Another watch may have shown Healthy a moment earlier than the log.
  await log.untilEnded(names.length, 5_000);
  const story = describeLog(log);
  for (const { target, phases = [] } of log.ended())
    process.stdout.write(
      `      ${target?.name}: ${phases.map(({ phase, seconds }) => `${phase} ${seconds} s`).join(', ')}\n`,
    );
  expect(log.mostLeaving(), story).to.equal(names.length === 0 ? 0 : 1);
  expect(
    log.operations().map(({ target }) => target),
    story,
  ).to.deep.equal(names);
  expect(
    log.ended().map(({ target, outcome }) => `${target?.name} ${outcome}`),
    story,
  ).to.deep.equal(names.map((name) => `${name} Succeeded`));
  for (const operation of log.operations()) expectPhases(operation);
  for (const ended of log.ended()) expectEnd(ended);
}

/** Phases only go forward, and the point of no return is behind a stored proof that names what it rests on. The one way
 *  back that is no undoing: a proof that fell apart before the DELETE is made again. */
export function expectPhases({ phases, records, target }: OperationSeen): void {
  const forward = phases.filter((phase, index) => !(phase === 'Proving' && phases[index - 1] === 'Deleting'));
  const order = forward.map((phase) => PHASES.indexOf(phase));
  expect(order, `${target}: ${phases.join(' > ')}`).to.deep.equal([...order].sort((a, b) => a - b));
  expect(phases, target).to.include.members([...STORED]);
  const deleting = records.find(({ phase }) => phase === 'Deleting');
  expect(deleting?.proof?.pre, `${target}: the proof before its removal`).to.include({ stage: 'Pre' });
  expect(deleting?.proof?.pre?.inputs ?? [], target).to.not.deep.equal([]);
}

export function expectEnd({ target, phases = [], reason, message = '', proof }: LastOperation): void {
  const name = target?.name ?? '';
  expect(reason, name).to.equal('RemovalFinished');
  expect(message, name).to.include(name);
  expect(proof?.pre, name).to.include({ stage: 'Pre', targetUid: target?.uid });
  expect(proof?.post, name).to.include({ stage: 'Post', targetUid: target?.uid });
  expect(
    phases.map(({ phase }) => phase),
    name,
  ).to.include.members([...PASSED]);
  for (const { phase, seconds } of phases) expect(seconds, `${name} ${phase}`).to.be.within(0, 600);
}

/** One event per removal, naming its node. */
export async function expectOneEventEach(
  { watching }: World,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const isIt = ({ reason }: EventSeen): boolean => reason === 'RemovalFinished';
  const path = groupPath('events.k8s.io', namespace, 'events');
  const all = await watching.until<EventSeen>(
    `${names.length} events RemovalFinished`,
    path,
    (events) => events.filter(isIt).length >= names.length,
  );
  const notes = all.filter(isIt).map(({ note }) => note ?? '');
  expect(notes, notes.join('; ')).to.have.length(names.length);
  for (const name of names)
    expect(
      notes.filter((note) => note.includes(name)),
      name,
    ).to.have.length(1);
}

/** The volumes of these ids are kept, and the status lists them and no other. */
export async function expectDetached(
  { kube, watching }: World,
  namespace: string,
  cluster: string,
  ids: readonly number[],
  state = 'Reusable',
): Promise<void> {
  const names = ids.map((id) => pvcName(cluster, id));
  const { status } = await watching.cluster(
    namespace,
    cluster,
    `${names.join(', ') || 'no volume'} listed as detached and ${state}`,
    (seen) =>
      (seen.status?.detachedVolumes ?? []).map((volume) => `${volume.pvcName} ${volume.state}`).join() ===
      names.map((name) => `${name} ${state}`).join(),
  );
  for (const volume of status?.detachedVolumes ?? []) {
    const claim = await kube.core.readNamespacedPersistentVolumeClaim({ namespace, name: volume.pvcName });
    expect(volume, volume.pvcName).to.include({ pvcUID: claim.metadata?.uid });
    expect(claim.metadata?.deletionTimestamp, volume.pvcName).to.equal(undefined);
  }
}
