// What the status of a node says, and how soon a change of it is worth a write.

import { findCondition, type MarekvsNodeStatus, type NodeConditionType } from '@marekvs/api';
import type { Hold, NodeRecord } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  freshPod,
  joining,
  NOW_MS,
  node,
  notAsked,
  pod,
  silent,
  volume,
  withoutPod,
} from '../../planner/test/support/builders.ts';
import { nodeStatus, nodeStatusChange } from '../src/node/status.ts';
import { nodeScope } from './support/objects.ts';

type Own = Partial<NodeRecord>;

function statusOf(own: Own = {}, previous: MarekvsNodeStatus = {}, nowMs = NOW_MS, refusal?: Hold): MarekvsNodeStatus {
  const { scope, plan } = nodeScope(1, { own, object: { status: previous }, nowMs });
  return nodeStatus({ scope, plan, refusal });
}

const said = (status: MarekvsNodeStatus, type: NodeConditionType) => {
  const found = findCondition(status.conditions, type);
  return `${found?.status} ${found?.reason}`;
};

interface Row {
  readonly state: string;
  readonly own: Own;
  readonly phase: MarekvsNodeStatus['phase'];
  readonly conditions: Partial<Readonly<Record<NodeConditionType, string>>>;
}

const garbage: NodeRecord['answer'] = { kind: 'silent', sinceMs: NOW_MS, error: 'not a RESP reply', isInvalid: true };
const unlabelled = pod(1, { labels: { ...pod(1).labels } });
const TABLE: readonly Row[] = [
  {
    state: 'Active and serving',
    own: {},
    phase: 'Active',
    conditions: {
      Ready: 'True AsExpected',
      Joined: 'True Joined',
      UpToDate: 'True TemplateCurrent',
      VolumeReady: 'True VolumeBound',
      SafeToRemove: 'Unknown NotCompared',
    },
  },
  {
    state: 'just created',
    own: { pod: undefined, volume: undefined, recordedVolumeUid: undefined, answer: notAsked, serving: false },
    phase: 'Pending',
    conditions: { Ready: 'False PodMissing', VolumeReady: 'False VolumePending', UpToDate: 'Unknown PodMissing' },
  },
  {
    state: 'with a volume that is not bound',
    own: { pod: freshPod(1), volume: volume(1, { isBound: false }), answer: notAsked },
    phase: 'Pending',
    conditions: { Ready: 'False PodPending', VolumeReady: 'False VolumePending' },
  },
  {
    state: 'with a claim that names no class while none is the default',
    own: {
      pod: freshPod(1, { unschedulable: 'pod has unbound immediate PersistentVolumeClaims' }),
      volume: volume(1, { isBound: false, provisioning: { className: undefined, provisioner: undefined } }),
      answer: notAsked,
    },
    phase: 'Pending',
    conditions: { Ready: 'False StorageClassMissing', VolumeReady: 'False StorageClassMissing' },
  },
  {
    state: 'whose Pod has no host',
    own: { pod: freshPod(1, { unschedulable: 'no host fits' }), answer: notAsked },
    phase: 'Pending',
    conditions: { Ready: 'False PodUnschedulable' },
  },
  {
    state: 'whose image cannot be pulled',
    own: { pod: freshPod(1, { hostName: 'h', waiting: { reason: 'ErrImagePull', message: '' } }), answer: notAsked },
    phase: 'Failed',
    conditions: { Ready: 'False ImagePullFailed' },
  },
  {
    state: 'whose process starts',
    own: { pod: pod(1, { isReady: false }), answer: notAsked },
    phase: 'Starting',
    conditions: { Ready: 'False MemberStarting' },
  },
  {
    state: 'whose member joins',
    own: { pod: pod(1, { isReady: false }), answer: joining },
    phase: 'Joining',
    conditions: { Ready: 'False MemberJoining', Joined: 'False MemberJoining' },
  },
  {
    state: 'Active and not let in',
    own: { serving: false, pod: unlabelled },
    phase: 'Active',
    conditions: { Ready: 'False MemberNotActive', Joined: 'True Joined' },
  },
  {
    state: 'Active with a Pod that is not ready',
    own: { pod: pod(1, { isReady: false }) },
    phase: 'Active',
    conditions: { Ready: 'False MemberStarting' },
  },
  {
    state: 'whose member is silent',
    own: { answer: silent },
    phase: 'Unknown',
    conditions: { Ready: 'False MemberSilent', Joined: 'Unknown MemberSilent' },
  },
  {
    state: 'whose member answers garbage',
    own: { answer: garbage },
    phase: 'Unknown',
    conditions: { Ready: 'False MemberAnswerInvalid' },
  },
  {
    state: 'whose Pod terminates',
    own: { pod: pod(1, { isTerminating: true, isReady: false, terminationDueMs: NOW_MS + 60_000 }), answer: notAsked },
    phase: 'Starting',
    conditions: { Ready: 'False PodMissing' },
  },
  {
    state: 'whose volume is lost',
    own: { pod: undefined, volume: undefined, answer: notAsked },
    phase: 'Pending',
    conditions: { Ready: 'False VolumeLost', VolumeReady: 'False VolumeLost' },
  },
  {
    state: 'whose volume is being deleted',
    own: { volume: volume(1, { isTerminating: true }) },
    phase: 'Active',
    conditions: { Ready: 'True AsExpected', VolumeReady: 'False VolumeLost' },
  },
  {
    state: 'whose Pod has an older template',
    own: { pod: pod(1, { templateHash: 'older' }) },
    phase: 'Active',
    conditions: { Ready: 'True AsExpected', UpToDate: 'False TemplateOutdated' },
  },
  {
    state: 'whose Pod is being resized',
    own: { resize: { podUid: 'pod-uid-1', revision: 'newer', operationId: '1-x' } },
    phase: 'Active',
    conditions: { Ready: 'True AsExpected', UpToDate: 'False ResizePending' },
  },
  {
    state: 'whose Pod the API server does not let be resized',
    own: { resize: { podUid: 'pod-uid-1', revision: 'newer', operationId: '1-x' }, resizeRefused: 'exceeded quota' },
    phase: 'Active',
    conditions: { Ready: 'True AsExpected', UpToDate: 'False ResizeImpossible' },
  },
];

describe('the status of a node', () => {
  it('reports a refused resize in UpToDate, and is as ready as before', () => {
    const own = { resize: { podUid: 'pod-uid-1', revision: 'newer', operationId: '1-x' } };
    const refusal: Hold = { reason: 'ResizeImpossible', message: 'a rule says no', needsPerson: false };
    const status = statusOf(own, {}, NOW_MS, refusal);
    expect([said(status, 'Ready'), said(status, 'UpToDate')]).to.deep.equal([
      'True AsExpected',
      'False ResizeImpossible',
    ]);
    expect(findCondition(status.conditions, 'UpToDate')?.message).to.equal('a rule says no');
  });

  for (const { state, own, phase, conditions } of TABLE) {
    it(`${state}: ${phase}, ${Object.values(conditions).join(', ')}`, () => {
      const status = statusOf(own);
      const types = Object.keys(conditions) as NodeConditionType[];
      expect(Object.fromEntries(types.map((type) => [type, said(status, type)]))).to.deep.equal(conditions);
      expect(status.phase).to.equal(phase);
    });

    it(`${state}: is the same an hour later`, () => {
      const first = statusOf(own, {}, NOW_MS + 3_600_000);
      expect(nodeStatusChange(first, statusOf(own, first, NOW_MS + 7_200_000), false)).to.equal('none');
    });
  }

  it('names Pod, volume, host and address', () => {
    expect(statusOf()).to.deep.include({
      podName: 'demo-1',
      podUID: 'pod-uid-1',
      podIP: '10.0.0.2',
      hostName: 'host-1',
      pvcName: 'data-demo-1',
      pvcUID: 'volume-uid-1',
      seenBy: '3/3',
      memberGeneration: 1_767_225_601,
    });
  });

  it('keeps the recorded volume when another one has its name, which is how an exchange is noticed (H2)', () => {
    const status = statusOf({ volume: volume(1, { uid: 'another' }) }, { pvcUID: 'volume-uid-1' });
    expect(status.pvcUID).to.equal('volume-uid-1');
  });

  it('does not mention a Pod of another owner', () => {
    expect(statusOf({ pod: pod(1, { ownerUid: 'other' }) })).to.not.have.any.keys('podName', 'podUID', 'podIP');
  });

  it('shows a refusal before anything else', () => {
    const refusal: Hold = { reason: 'QuotaExceeded', message: 'create pods: exceeded quota', needsPerson: true };
    const status = statusOf(withoutPod(1), {}, NOW_MS, refusal);
    expect(said(status, 'Ready')).to.equal('False QuotaExceeded');
  });

  it('has lastActiveAt written when the node stops being Active, and not changed afterwards', () => {
    const active = statusOf();
    expect(active).to.not.have.property('lastActiveAt');
    const left = statusOf({ pod: undefined, answer: notAsked }, active);
    expect(left.lastActiveAt).to.equal('2026-01-01T00:10:00Z');
    const later = statusOf({ pod: undefined, answer: notAsked }, left, NOW_MS + 60_000);
    expect(later.lastActiveAt).to.equal('2026-01-01T00:10:00Z');
  });

  it('has the last certain time as Active when nothing has seen its end', () => {
    const own = { pod: undefined, answer: notAsked };
    const { scope, plan } = nodeScope(1, { own, object: { status: statusOf() } });
    const lastActiveMs = new Map([['node-uid-1', NOW_MS - 300_000]]);
    const unseen = { ...scope, observation: { ...scope.observation, lastActiveMs } };
    const status = nodeStatus({ scope: unseen, plan, refusal: undefined });
    expect(status.lastActiveAt).to.equal('2026-01-01T00:05:00Z');
  });
});

describe('the time since which a node has the reason of a condition', () => {
  const away: Own = { answer: silent };
  it('is the time of its status while the reason has not changed', () => {
    expect(statusOf(away, statusOf(away)).reasonTimes).to.equal(undefined);
    expect(statusOf(away, statusOf(away), NOW_MS + 60_000).reasonTimes).to.equal(undefined);
  });
  it('is recorded once the reason has changed and the status has not, stays, and ends with the status', () => {
    const second = statusOf({ pod: undefined, answer: notAsked }, statusOf(away), NOW_MS + 60_000);
    expect(said(second, 'Ready')).to.equal('False PodMissing');
    expect(second.reasonTimes).to.deep.include({ type: 'Ready', since: '2026-01-01T00:11:00Z' });
    expect(findCondition(second.conditions, 'Ready')?.lastTransitionTime).to.equal('2026-01-01T00:10:00Z');
    const third = statusOf({ pod: undefined, answer: notAsked }, second, NOW_MS + 120_000);
    expect(nodeStatusChange(second, third, false)).to.equal('none');
    const ready = statusOf({}, third, NOW_MS + 180_000);
    expect(ready.reasonTimes?.filter(({ type }) => type === 'Ready') ?? []).to.deep.equal([]);
  });
});

describe('a change of a node’s status', () => {
  const starting = statusOf({ pod: pod(1, { isReady: false }), answer: notAsked });
  it('does not exist between equal statuses', () => {
    expect(nodeStatusChange(statusOf(), statusOf(), false)).to.equal('none');
  });
  it('is soft on the way up', () => {
    expect(nodeStatusChange(statusOf({ pod: freshPod(1), answer: notAsked }), starting, false)).to.equal('soft');
  });
  it('is urgent when the node becomes ready, is no longer ready, or fails', () => {
    expect(nodeStatusChange(starting, statusOf(), false)).to.equal('urgent');
    expect(nodeStatusChange(statusOf(), starting, false)).to.equal('urgent');
    expect(nodeStatusChange(statusOf(), statusOf({ answer: silent }), false)).to.equal('urgent');
  });
  it('is soft when a member no longer sees the node, and lazy when there are more members that all see it', () => {
    const first = statusOf();
    expect(nodeStatusChange(first, { ...first, seenBy: '2/3' }, false)).to.equal('soft');
    expect(nodeStatusChange(first, { ...first, seenBy: '4/4' }, false)).to.equal('lazy');
  });
});

describe('the healthy values of the test builders', () => {
  it('are healthy for the operator, too', () => {
    expect(statusOf(node(1)).phase).to.equal('Active');
  });
});
