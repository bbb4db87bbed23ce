// Where the Pod of a member whose door is closed may be, and what it has to tolerate there.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { onItsHost, taintsOf } from '../src/objects/sealed-pod.ts';

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

describe('the Pod of a member whose door is closed', () => {
  const isHost = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['host-1'] }] };
  const inZone = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
  const ruled = {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone] } } },
  };
  const placed = (
    taints: readonly (typeof OTHER | typeof CORDON)[],
    scheduling = {},
    nodeSelector?: Record<string, string>,
  ) => {
    const { affinity, tolerations } = onItsHost(
      { name: 'host-1', taints },
      { scheduling, clusterName: 'demo', nodeSelector },
    );
    const {
      requiredDuringSchedulingIgnoredDuringExecution: required,
      preferredDuringSchedulingIgnoredDuringExecution: wish,
    } = affinity?.nodeAffinity ?? {};
    return { terms: required?.nodeSelectorTerms, wish: wish?.map(({ preference }) => preference), tolerations };
  };

  it('prefers its host where nothing keeps Pods off it', () => {
    expect(placed([])).to.deep.equal({ terms: undefined, wish: [isHost], tolerations: undefined });
  });

  it('may be on its host although that has not the labels any more that its rules ask for', () => {
    const chosen = { key: 'pool', operator: 'In', values: ['db'] };
    expect(placed([], {}, { pool: 'db' }).terms).to.deep.equal([isHost, { matchExpressions: [chosen] }]);
    expect(placed([], ruled, { pool: 'db' }).terms).to.deep.equal([
      isHost,
      { matchExpressions: [...inZone.matchExpressions, chosen] },
    ]);
  });

  it('is on its host and nowhere else where others are kept off it, whatever its rules are', () => {
    const { terms, wish, tolerations } = placed([OTHER, CORDON], ruled, { pool: 'db' });
    expect([terms, wish]).to.deep.equal([[isHost], undefined]);
    expect(tolerations).to.deep.equal([
      { key: 'gpu', effect: 'NoExecute', operator: 'Equal', value: 'yes' },
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', operator: 'Exists' },
    ]);
  });
});
