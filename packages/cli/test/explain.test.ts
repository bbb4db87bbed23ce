// explain over the table of situations, and the rules about the order and the number of its findings.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { explain } from '../src/explain/explain.ts';
import { explanation } from '../src/explain/screen.ts';
import { plain } from '../src/screen/text.ts';
import { blockedOperation, SITUATIONS as OTHERS, type Situation } from './explain-situations.ts';
import { FOURTH, SIZING_SITUATIONS, sized } from './explain-sizing-situations.ts';
import {
  CREATED,
  claim,
  cluster,
  clusterCondition,
  facts,
  NOW_MS,
  notReady,
  pendingChange,
  READY,
  SINCE,
  SINCE_MS,
  unready,
  waitingPod,
} from './support/objects.ts';

const SITUATIONS: readonly Situation[] = [...OTHERS, ...SIZING_SITUATIONS];

/** What is wrong with the first finding; undefined when it is right. */
function mistake({
  facts: given,
  rule,
  member,
  since = SINCE_MS,
  action,
  kind = 'blocked',
}: Situation): string | undefined {
  const [first, ...rest] = explain(given);
  if (first === undefined) return 'nothing is said';
  if (first.rule !== rule) return `says ${first.rule} first (then ${rest.map((one) => one.rule).join(', ')})`;
  if (first.member !== member) return `names ${first.member ?? 'the whole cluster'}`;
  if (first.sinceMs !== (since === 'unknown' ? undefined : since)) return `since ${first.sinceMs}`;
  if (first.kind !== kind) return `calls it ${first.kind}`;
  if (!first.commands.some((command) => action.test(command))) return `gives the commands ${first.commands.join('; ')}`;
  return first.message === '' || first.unblock === '' ? 'has no words' : undefined;
}

describe('explain', () => {
  for (const situation of SITUATIONS) {
    it(`names rule, member, time and command when ${situation.title}`, () => {
      expect(mistake(situation)).to.equal(undefined);
    });
  }

  it('is right in at least 19 of 20 situations, of at least 20', () => {
    const right = SITUATIONS.filter((situation) => mistake(situation) === undefined).length;
    process.stdout.write(`      explain: right in ${right} of ${SITUATIONS.length} situations\n`);
    expect(SITUATIONS.length).to.be.at.least(20);
    expect(right / SITUATIONS.length).to.be.at.least(19 / 20);
  });

  it('reports nothing about a healthy cluster', () => {
    expect(explain(facts())).to.deep.equal([]);
  });

  it('does not report a size that fits its load, nor that sizing has begun once the size may change', () => {
    const begun = (scaleDownStabilizationSeconds: number) =>
      explain(
        sized(
          { size: 3, reason: 'AutoscaleBegun', message: '3 nodes to begin with' },
          { autoscale: { scaleDownStabilizationSeconds } },
        ),
      ).map(({ rule }) => rule);
    expect(begun(301)).to.deep.equal(['AutoscaleBegun']);
    expect(begun(300)).to.deep.equal([]);
  });

  it('calls a load low below 60 % of the target on one node less, unless the size is the smallest', () => {
    const rules = (opsPerSecond: number, size = 4) =>
      explain(
        sized(
          { size, reason: 'LoadAboveTarget', message: 'as it was' },
          {
            status: { desiredNodes: size, readyNodes: size, opsPerSecond },
            rest: size === 4 ? FOURTH : {},
          },
        ),
      ).map(({ rule }) => rule);
    expect(rules(8_999)).to.deep.equal(['LoadBelowTarget']);
    expect(rules(9_000)).to.deep.equal([]);
    expect(rules(1, 3), 'the smallest size').to.deep.equal([]);
  });

  it('reports members that were not compared only after two minutes', () => {
    const unknown = clusterCondition('FullyReplicated', 'Unknown', 'NotCompared', 'compared once they agree');
    const after = (ms: number) => ({ ...unknown, lastTransitionTime: new Date(NOW_MS - ms).toISOString() });
    const rules = (ms: number) =>
      explain(facts({ cluster: cluster({ status: { conditions: [READY, after(ms)] } }) })).map(({ rule }) => rule);
    expect([rules(119_999), rules(120_000)]).to.deep.equal([[], ['NotCompared']]);
  });

  it('reports an operator that is away before what stays broken because of it', () => {
    const found = explain(
      facts({
        pods: [waitingPod(1, 'CrashLoopBackOff')],
        operator: {
          lease: { kind: 'read', name: 'marekvs-operator', holder: 'a_b_c', renewedMs: SINCE_MS, durationMs: 15_000 },
        },
      }),
    );
    expect(found.map(({ rule }) => rule)).to.deep.equal(['OperatorDown', 'CrashLooping']);
  });

  it('reports only once what cluster, node and Pod all show, and names where it was read', () => {
    const message = 'Pod demo-1 ends again and again, see its log';
    const found = explain(
      facts({
        cluster: cluster({
          status: {
            conditions: [
              notReady('CrashLooping', message),
              clusterCondition('Stalled', 'True', 'CrashLooping', message),
            ],
          },
        }),
        nodes: [unready(1, 'CrashLooping', message, 'Failed')],
        pods: [waitingPod(1, 'CrashLoopBackOff')],
      }),
    );
    expect(found).to.have.lengthOf(1);
    expect(found[0]?.source).to.include('condition Stalled').and.include('Pod demo-1');
  });

  it('leaves out the progress of a member when it reports what stops that member', () => {
    const found = explain(
      facts({
        cluster: cluster({ status: { conditions: [notReady('Forming', 'forming: 2 of 3 members are ready')] } }),
        nodes: [unready(1, 'MemberStarting', 'Pod demo-1 is starting')],
        volumes: [claim(1, { phase: 'Pending' }, { creationTimestamp: SINCE }, 'fast')],
      }),
    );
    expect(found.map(({ rule, member }) => [rule, member])).to.deep.equal([
      ['VolumePending', 'demo-1'],
      ['Forming', undefined],
    ]);
  });

  it('leaves out that a member hands over its clients when the operation says what it waits for', () => {
    const given = blockedOperation('ContentsUnreadable', 'the contents of demo-2 cannot be read: refused', 'Isolating');
    const leaving = unready(2, 'MemberLeaving', 'the member hands its clients over before it goes', 'Leaving');
    const nodes = given.parts.nodes.map((one) => (one.metadata.name === 'demo-2' ? leaving : one));
    const found = explain({ ...given, parts: { ...given.parts, nodes } });
    expect(found.map(({ rule, member }) => [rule, member])).to.deep.equal([['ContentsUnreadable', 'demo-2']]);
  });

  it('reports one rule for several members as one thing to do, with every member named', () => {
    const volumes = [0, 1, 2].map((id) => claim(id, { phase: 'Pending' }, { creationTimestamp: SINCE }, 'fast'));
    const given = facts({ volumes });
    const text = explanation(given, explain(given), { nowMs: given.nowMs, width: 80, paint: plain }).join('\n');
    expect(text).to.include('1. VolumePending  demo-0').and.include('Likewise: demo-1 (5m), demo-2 (5m)');
    expect(text).to.not.include('2. ');
  });

  it('reports every field that is not in force by itself, since its own edit, and never that all is well', () => {
    const pendingChanges = [
      pendingChange({ field: 'spec.replicationFactor' }),
      pendingChange({ field: 'spec.storage.size', since: CREATED }),
    ];
    const given = facts({ cluster: cluster({ status: { pendingChanges } }) });
    const text = explanation(given, explain(given), { nowMs: given.nowMs, width: 80, paint: plain }).join('\n');
    expect(text).to.include('2 things need somebody').and.not.include('at its desired state');
    expect(text).to.include('AuthNotInForce  spec.replicationFactor  for 5m  (blocked)');
    expect(text).to.include('AuthNotInForce  spec.storage.size  for 60m  (blocked)');
  });

  it('does not repeat for a field what a condition reports for the cluster', () => {
    const status = {
      conditions: [READY, clusterCondition('Paused', 'True', 'Paused', 'spec.paused is true')],
      pendingChanges: [pendingChange({ field: 'spec.nodes', reason: 'Paused' })],
    };
    const found = explain(facts({ cluster: cluster({ status }) }));
    expect(found.map(({ rule }) => rule)).to.deep.equal(['Paused']);
  });

  it('reports the time of the reason, not of the condition, which may have been False for longer', () => {
    const conditions = [{ ...notReady('MemberSilent', 'demo-1 does not answer'), lastTransitionTime: CREATED }];
    const reasonTimes = [{ type: 'Ready', since: SINCE }];
    const found = explain(facts({ cluster: cluster({ status: { conditions, reasonTimes } }) }));
    expect(found.map(({ rule, sinceMs }) => [rule, sinceMs])).to.deep.equal([['MemberSilent', SINCE_MS]]);
  });

  it('reports the time of the reason of a node, too', () => {
    const away = unready(1, 'MemberSilent', 'member demo-1 does not answer', 'Unknown');
    const conditions = (away.status?.conditions ?? []).map((one) => ({ ...one, lastTransitionTime: CREATED }));
    const reasonTimes = [{ type: 'Ready', since: SINCE }];
    const found = explain(facts({ nodes: [{ ...away, status: { ...away.status, conditions, reasonTimes } }] }));
    expect(found.map(({ rule, member, sinceMs }) => [rule, member, sinceMs])).to.deep.equal([
      ['MemberSilent', 'demo-1', SINCE_MS],
    ]);
  });

  it('calls a deletion stuck only when it has lasted', () => {
    const after = (seconds: number) => {
      const deletionTimestamp = new Date(NOW_MS - seconds * 1_000).toISOString();
      return explain(facts({ cluster: cluster({ metadata: { deletionTimestamp } }) })).map(({ rule, kind }) => [
        rule,
        kind,
      ]);
    };
    expect(after(3)).to.deep.equal([['Deleting', 'waiting']]);
    expect(after(119)).to.deep.equal([['Deleting', 'waiting']]);
    expect(after(120)).to.deep.equal([['StuckDeleting', 'blocked']]);
  });

  it('does not ask a person to act for records that are on their way', () => {
    const missing = clusterCondition(
      'FullyReplicated',
      'False',
      'RecordsMissing',
      '3 records of demo-2 missing on demo-1',
    );
    const found = explain(facts({ cluster: cluster({ status: { conditions: [READY, missing] } }) }));
    expect(found.map(({ rule, kind }) => [rule, kind])).to.deep.equal([['RecordsMissing', 'waiting']]);
  });

  it('concludes nothing from a lease that it could not read, and OperatorDown from a missing one', () => {
    const unread = facts({ operator: { lease: { kind: 'unknown', why: '403 Forbidden' } } });
    expect(explain(unread)).to.deep.equal([]);
    expect(explain(facts({ operator: { lease: { kind: 'missing' } } }))[0]?.rule).to.equal('OperatorDown');
  });

  it('does not mistake demo-1 for demo-11', () => {
    const message = 'member demo-11 at 10.0.0.9 does not answer: timed out';
    const found = explain(facts({ cluster: cluster({ status: { conditions: [notReady('MemberSilent', message)] } }) }));
    expect(found.map(({ rule, member }) => [rule, member])).to.deep.equal([['MemberSilent', undefined]]);
  });
});
