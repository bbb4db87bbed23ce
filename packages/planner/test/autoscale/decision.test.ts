// What one pass makes of a cluster's size: what is stored, when, and what keeps the size as it is.

import { expect } from 'chai';
import type { AutoscaleSeen } from '../../src/autoscale/seen.ts';
import { type ClusterObservation, planCluster } from '../../src/index.ts';
import { NOW_MS, node, nodes, observation, silent, withNode } from '../support/builders.ts';

const AUTOSCALE = {
  minNodes: 3,
  maxNodes: 8,
  targetOpsPerNode: 5_000,
  scaleDownStabilizationSeconds: 300,
  scaleUpCooldownSeconds: 60,
};
const SINCE = '2026-01-01T00:00:00Z';
const STORED = { size: 5, nodes: 3, reason: 'LoadAboveTarget', message: 'as it was', since: SINCE } as const;
const HOUR_MS = 3_600_000;

function seen(
  opsPerSecond: number,
  change: Partial<AutoscaleSeen['load']> = {},
  rest: Partial<AutoscaleSeen> = {},
): AutoscaleSeen {
  const highest = { name: 'demo-1', opsPerSecond: opsPerSecond / 5 };
  return {
    load: { opsPerSecond, missing: [], isSharp: true, highest, members: 5, ...change },
    disk: { now: undefined, afterRemoval: undefined, fullest: undefined },
    decidedForMs: HOUR_MS,
    lowForMs: HOUR_MS,
    found: undefined,
    ...rest,
  };
}

type Change = Omit<NonNullable<Parameters<typeof observation>[0]>, 'cluster'> & {
  readonly cluster?: NonNullable<NonNullable<Parameters<typeof observation>[0]>['cluster']>;
};

/** Five members that were decided an hour ago. */
const five = (autoscale: AutoscaleSeen | undefined, { cluster, ...rest }: Change = {}) =>
  observation({
    nodes: nodes(5),
    autoscale,
    ...rest,
    cluster: {
      autoscale: STORED,
      sizeBefore: 5,
      ...cluster,
      spec: { nodes: 3, autoscale: AUTOSCALE, ...cluster?.spec },
    },
  });

const decision = (o: ClusterObservation) => planCluster(o).autoscale;

describe('a decided size', () => {
  it('is stored with its figures before anything is done for it', () => {
    const plan = planCluster(five(seen(31_900)));
    expect(plan.autoscale).to.deep.include({
      isDecided: true,
      status: {
        size: 7,
        nodes: 3,
        ideal: 7,
        opsPerSecond: 32_000,
        target: 5_000,
        reason: 'LoadAboveTarget',
        message: '32,000 ops/s at 5,000 a node: 7 nodes instead of 5',
        since: '2026-01-01T00:10:00Z',
        nextChange: '2026-01-01T00:11:00Z',
      },
    });
    expect(plan.steps.filter(({ kind }) => kind === 'createNode')).to.deep.equal([]);
    expect(plan.desiredNodes).to.equal(7);
  });
  it('is one smaller after a window of low load, with the arithmetic in the message', () => {
    const { status, isDecided } = decision(five(seen(6_000)));
    expect(isDecided).to.equal(true);
    expect(status).to.include({ size: 4, ideal: 2, reason: 'LoadBelowTarget' });
    expect(status?.message).to.equal('6,000 ops/s are 1,500 on each of 4, below 60 % of 5,000: 4 nodes instead of 5');
  });
  it('names the member that serves nearly all of the load', () => {
    const highest = { name: 'demo-1', opsPerSecond: 30_000 };
    expect(decision(five(seen(32_000, { highest }))).status?.message).to.match(
      /demo-1 serves 94 % of it: more nodes do not/,
    );
  });
  it('says "at least" before the load while the figures of a member are missing', () => {
    expect(decision(five(seen(32_000, { missing: ['demo-3'] }))).status?.message).to.match(/^at least 32,000 ops\/s/);
  });
  it('leads to all missing nodes in one step once it is stored', () => {
    const { steps } = planCluster(five(seen(31_900), { cluster: { autoscale: { ...STORED, size: 7 } } }));
    expect(steps.filter(({ kind }) => kind === 'createNode')).to.have.length(2);
  });
});

describe('a decided size that is still right', () => {
  it('is not written again, however the load varies within its range', () => {
    for (const ops of [0, 11_999, 12_001, 25_000]) {
      const { status, isDecided } = decision(five(seen(ops, {}, { lowForMs: 0 })));
      expect([status, isDecided]).to.deep.equal([STORED, false]);
    }
  });
  it('is checked again when it may change, without any event', () => {
    expect(decision(five(seen(31_900, {}, { decidedForMs: 10_000 }))).requeueAfterMs).to.equal(50_000);
    expect(decision(five(seen(6_000, {}, { lowForMs: 100_000 }))).requeueAfterMs).to.equal(200_000);
    expect(decision(five(seen(20_000))).requeueAfterMs).to.equal(undefined);
  });
  it('asks for a close measurement before it grows', () => {
    expect(decision(five(seen(31_900, { isSharp: false })))).to.include({ needsSharpLoad: true, isDecided: false });
  });
  it('reports that more nodes are needed after two minutes of that, and takes it back after five minutes', () => {
    const eight = { nodes: nodes(8), cluster: { autoscale: { ...STORED, size: 8 } } };
    const found = (reason: 'AtMaxNodes' | 'LoadWithinTarget', forMs: number) => ({ found: { reason, forMs } });
    const early = decision(five(seen(60_000, {}, found('AtMaxNodes', 119_999)), eight));
    expect([early.status?.reason, early.requeueAfterMs]).to.deep.equal(['LoadAboveTarget', 1]);
    const late = decision(five(seen(60_000, {}, found('AtMaxNodes', 120_000)), eight));
    expect(late.status).to.include({ size: 8, reason: 'AtMaxNodes', since: SINCE, ideal: 12 });
    expect(late.isDecided).to.equal(false);
    const at = { ...eight, cluster: { autoscale: { ...STORED, size: 8, reason: 'AtMaxNodes' } } };
    expect(decision(five(seen(38_000, {}, found('LoadWithinTarget', 299_999)), at)).status?.reason).to.equal(
      'AtMaxNodes',
    );
    expect(decision(five(seen(38_000, {}, found('LoadWithinTarget', 300_000)), at)).status?.reason).to.equal(
      'LoadWithinTarget',
    );
  });
});

describe('a size that was decided for the disks', () => {
  const byDisk = { ...AUTOSCALE, targetDiskPercent: 80 };
  const filled = (now: number, stored: object, ops = 20_000) =>
    five(seen(ops, {}, { disk: { now, afterRemoval: now, fullest: 'demo-1' } }), {
      cluster: { autoscale: { ...STORED, ...stored }, spec: { autoscale: byDisk } },
    });

  it('names the fill level at which it was decided, and keeps it through later decisions and reports', () => {
    const { status } = decision(filled(70.6, {}));
    expect(status).to.include({ size: 6, reason: 'DiskAboveTarget', diskPercent: 71, grownAtPercent: 70 });
    expect(status?.message).to.equal('demo-1 is 71 % full, and none should exceed 80 %: 6 nodes instead of 5');
    const later = { reason: 'NoLoadSignal', grownAtPercent: 70 };
    expect(decision(filled(74.9, later)).isDecided).to.equal(false);
    expect(decision(filled(75, later)).status).to.include({ size: 6, grownAtPercent: 75 });
    expect(decision(filled(71, later, 32_000)).status).to.include({ size: 7, grownAtPercent: 70 });
  });
  it('forgets the fill level when a node is removed', () => {
    expect(decision(filled(30, { grownAtPercent: 70 }, 6_000)).status).to.include({ size: 4 });
    expect(decision(filled(30, { grownAtPercent: 70 }, 6_000)).status).to.not.have.property('grownAtPercent');
  });
});

describe('the size of a cluster that is not healthy', () => {
  const operation = { id: 'x', type: 'Remove', phase: 'Claimed', specGeneration: 1, startedAt: SINCE } as const;
  const rows: readonly (readonly [string, Change])[] = [
    ['an operation is under way', { cluster: { operation } }],
    ['a member does not answer', { nodes: withNode(nodes(5), 2, { answer: silent }) }],
    ['a volume is lost', { nodes: withNode(nodes(5), 2, { volume: undefined }) }],
    ['a node has to go', { nodes: withNode(nodes(5), 2, { isDeleting: true, deletedAtMs: NOW_MS }) }],
    ['a node is missing', { nodes: nodes(4) }],
    ['there is one too many', { nodes: nodes(6) }],
    ['records are missing', { cluster: { verification: { state: 'Missing', at: SINCE } } }],
    ['an update is under way', { cluster: { templateHash: 'bbbbbbbbbbbbbbbb' } }],
  ];
  for (const [title, change] of rows) {
    it(`does not decrease while ${title}`, () => {
      expect(decision(five(seen(6_000), change)).isDecided).to.equal(false);
    });
  }
  it('does not change while the cluster is paused', () => {
    for (const ops of [0, 32_000]) {
      const { status, isDecided } = decision(five(seen(ops), { cluster: { spec: { paused: true } } }));
      expect([status, isDecided]).to.deep.equal([STORED, false]);
    }
  });
  it('increases while a removal is under way, which is then taken back, and while a member is silent', () => {
    expect(decision(five(seen(32_000), { cluster: { operation } })).status?.size).to.equal(7);
    const missing = { missing: ['demo-2'] };
    expect(
      decision(five(seen(32_000, missing), { nodes: withNode(nodes(5), 2, { answer: silent }) })).status?.size,
    ).to.equal(7);
  });
  it('does not increase while an earlier new member has yet to join, even one that cannot run', () => {
    const coming = [...nodes(4), node(4, { serving: false, wasActive: false, answer: silent })];
    expect(decision(five(seen(32_000), { nodes: coming })).isDecided).to.equal(false);
    expect(decision(five(seen(32_000), { nodes: coming })).verdict?.hold?.reason).to.equal('MemberJoining');
  });
});

describe('sizing by load, switched on or off,', () => {
  it('begins with the present number of nodes and changes nothing', () => {
    const { status, isDecided } = decision(five(undefined, { cluster: { autoscale: undefined } }));
    expect(isDecided).to.equal(false);
    expect(status).to.deep.equal({
      size: 5,
      nodes: 3,
      reason: 'AutoscaleBegun',
      message: '5 nodes to begin with',
      since: '2026-01-01T00:10:00Z',
    });
  });
  it('decides nothing before the cluster is formed', () => {
    expect(decision(five(undefined, { cluster: { isFormed: false, autoscale: undefined } })).status).to.equal(
      undefined,
    );
  });
  it('keeps the decided size after spec.autoscale is removed, until spec.nodes changes', () => {
    const off = (nodes: number) => five(undefined, { cluster: { spec: { nodes, autoscale: undefined } } });
    expect(planCluster(off(3))).to.include({ desiredNodes: 5 });
    expect(decision(off(3)).status).to.deep.equal(STORED);
    expect(planCluster(off(4))).to.include({ desiredNodes: 4 });
    expect(decision(off(4)).status).to.equal(undefined);
  });
});
