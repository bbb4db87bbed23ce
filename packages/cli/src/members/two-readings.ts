// Two readings of the figures of many members, as far apart as a rate needs. A member that could not be
// read is listed with the reason.

import type { KubeObject, Pod } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import { type MemberFigures, memberFigures } from './member-figures.ts';

export interface TwoReadings {
  readonly before: MemberFigures;
  readonly now: MemberFigures;
}

/** By `keyOf` of the Pod, which equals that of its node. */
export type Readings = ReadonlyMap<string, TwoReadings>;

/** Each may start a process of kubectl. */
const AT_ONCE = 8;

export async function readTwice(run: Run, pods: readonly Pod[], seconds: number): Promise<Readings> {
  const first = await readAll(run, pods);
  const isAnyRead = [...first.values()].some(({ kind }) => kind === 'read');
  if (isAnyRead) await run.ports.delay(seconds * 1000);
  const second = isAnyRead ? await readAll(run, pods) : first;
  return new Map([...first].map(([key, before]) => [key, { before, now: second.get(key) ?? before }]));
}

async function readAll(run: Run, pods: readonly Pod[]): Promise<ReadonlyMap<string, MemberFigures>> {
  const figures = new Map<string, MemberFigures>();
  for (let at = 0; at < pods.length; at += AT_ONCE)
    await Promise.all(
      pods.slice(at, at + AT_ONCE).map(async (pod) => figures.set(keyOf(pod), await memberFigures(run, pod))),
    );
  return figures;
}

export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** The readings of a node without a Pod. */
export const NO_POD: TwoReadings = {
  before: { kind: 'unread', why: 'it has no Pod' },
  now: { kind: 'unread', why: 'it has no Pod' },
};
