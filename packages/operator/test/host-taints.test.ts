// What a Pod has to tolerate to be put back on its host.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { taintsOf } from '../src/node/sealed-pod.ts';

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;
const OTHER = { key: 'gpu', value: 'yes', effect: 'NoExecute' } as const;

describe('the taints of a host', () => {
  it('are those that keep Pods off it, without wishes', () => {
    const taints = [OTHER, { key: 'busy', effect: 'PreferNoSchedule' as const }];
    expect(taintsOf({ spec: { taints } })).to.deep.equal([OTHER]);
    expect(taintsOf({})).to.deep.equal([]);
  });

  it('have that of a cordon from the moment in which it is cordoned, once', () => {
    expect(taintsOf({ spec: { unschedulable: true } })).to.deep.equal([CORDON]);
    expect(taintsOf({ spec: { unschedulable: true, taints: [OTHER, CORDON] } })).to.deep.equal([OTHER, CORDON]);
    expect(taintsOf({ spec: { unschedulable: false, taints: [OTHER] } })).to.deep.equal([OTHER]);
  });
});
