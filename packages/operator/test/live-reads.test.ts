// Which live Pods still show the members that a departure was decided beside.

import type { Pod, Stored } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { node, nodes, pod } from '../../planner/test/support/builders.ts';
import { areOthersUnchanged } from '../src/pass/live-reads.ts';

const TARGET = node(2);

interface Change {
  readonly uid?: string;
  readonly isReady?: boolean;
  readonly restartCount?: number;
  readonly deletionTimestamp?: string;
}

function livePod(id: number, { isReady = true, restartCount = 0, ...metadata }: Change = {}): Stored<Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name: `demo-${id}`, resourceVersion: '9', uid: pod(id).uid, ...metadata },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: 'marekvs', image: '', imageID: '', ready: isReady, restartCount }],
    },
  } as Stored<Pod>;
}

describe('the other members', () => {
  const cases: readonly (readonly [string, readonly Stored<Pod>[], boolean])[] = [
    ['all Pods are as they were', [livePod(0), livePod(1), livePod(2)], true],
    ['the Pod of the target has gone', [livePod(0), livePod(1)], true],
    ['a Pod has gone', [livePod(0), livePod(2)], false],
    ['a Pod was made again', [livePod(0), livePod(1, { uid: 'another' })], false],
    ['a Pod is ending', [livePod(0), livePod(1, { deletionTimestamp: '2026-01-01T00:00:00Z' })], false],
    ['a process has ended in its Pod', [livePod(0), livePod(1, { isReady: false })], false],
    ['a process was started again in its Pod', [livePod(0), livePod(1, { restartCount: 1 })], false],
  ];
  for (const [name, live, isUnchanged] of cases)
    it(`are ${isUnchanged ? '' : 'not '}unchanged when ${name}`, () => {
      expect(areOthersUnchanged(TARGET, nodes(3), live)).to.equal(isUnchanged);
    });

  it('are unchanged when one that was not ready before is not ready now', () => {
    const list = [node(0), node(1, { pod: pod(1, { isReady: false }) }), TARGET];
    expect(areOthersUnchanged(TARGET, list, [livePod(0), livePod(1, { isReady: false })])).to.equal(true);
  });
});
