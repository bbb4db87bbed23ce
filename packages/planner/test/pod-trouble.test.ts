// What is wrong with a Pod that exists and is not ready, and which phase its node is in.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  CLAIM_PATIENCE_MS,
  type NodePhase,
  type NodeRecord,
  nodePhase,
  type PodRecord,
  PROVISIONING_PATIENCE_MS,
  podTrouble,
  RETURN_PATIENCE_MS,
  seenBy,
  startPatienceLeftMs,
  UNSCHEDULED_PATIENCE_MS,
} from '../src/index.ts';
import {
  freshPod,
  joining,
  line,
  NOW_MS,
  node,
  nodes,
  notAsked,
  pod,
  sealedNode,
  sealedPod,
  serving,
  silent,
  views,
  volume,
  withNode,
} from './support/builders.ts';

const trouble = (own: NodeRecord, nowMs = NOW_MS) =>
  own.pod === undefined ? undefined : podTrouble(own, own.pod, nowMs);
const waitingFor = (reason: string, message = '') =>
  trouble(node(1, { pod: pod(1, { isReady: false, waiting: { reason, message } }) }));

describe('the reported trouble of a Pod', () => {
  it('is none while it is ready and its member serves', () => {
    expect(trouble(node(1))).to.equal(undefined);
  });

  it('is DiskFull, for a person, when a ready member has stopped writes, since clients get errors', () => {
    expect(trouble(node(1, { answer: { ...serving(views(3)), isWriteStopped: true } }))).to.deep.equal({
      reason: 'DiskFull',
      message: 'demo-1 has stopped writes because its disk is full',
      needsPerson: true,
    });
  });

  it('is none while its container starts', () => {
    expect(trouble(node(1, { pod: pod(1, { isReady: false }) }))).to.equal(undefined);
    expect(waitingFor('ContainerCreating')).to.equal(undefined);
    expect(waitingFor('PodInitializing')).to.equal(undefined);
  });

  const waiting = [
    { reason: 'ErrImagePull', is: 'ImagePullFailed' },
    { reason: 'ImagePullBackOff', is: 'ImagePullFailed' },
    { reason: 'InvalidImageName', is: 'ImagePullFailed' },
    { reason: 'ErrImageNeverPull', is: 'ImagePullFailed' },
    { reason: 'CrashLoopBackOff', is: 'CrashLooping' },
    { reason: 'CreateContainerConfigError', is: 'ContainerConfigInvalid' },
    { reason: 'CreateContainerError', is: 'ContainerConfigInvalid' },
    { reason: 'RunContainerError', is: 'ContainerConfigInvalid' },
  ] as const;
  for (const { reason, is } of waiting) {
    it(`is ${is}, for a person, when the container waits for ${reason} (F54)`, () => {
      expect(waitingFor(reason, 'secret "x" not found')).to.deep.include({ reason: is, needsPerson: true });
    });
  }

  it('names the memory limit that ends a member, against which more members would not help', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 10s' };
    const own = node(1, { pod: pod(1, { isReady: false, isOutOfMemory: true, waiting }) });
    expect(trouble(own)?.message).to.equal(
      'Pod demo-1 ends again and again: it needs more memory than spec.resources.memory allows',
    );
  });

  it('names the image problem in the words of the kubelet, or at least its reason', () => {
    expect(waitingFor('ErrImagePull', 'manifest unknown')?.message).to.equal('Pod demo-1: manifest unknown');
    expect(waitingFor('ErrImagePull')?.message).to.equal('Pod demo-1: ErrImagePull');
  });

  it('is PodUnschedulable at once when the scheduler says so', () => {
    expect(trouble(node(1, { pod: freshPod(1, { unschedulable: '0/3 nodes are available' }) }))).to.deep.equal({
      reason: 'PodUnschedulable',
      message: 'Pod demo-1 has no host: 0/3 nodes are available',
      needsPerson: true,
    });
  });

  it('is none without a host while it has time, and PodUnschedulable one millisecond later', () => {
    const own = node(1, { pod: freshPod(1) });
    expect(trouble(own, NOW_MS + UNSCHEDULED_PATIENCE_MS)).to.equal(undefined);
    expect(trouble(own, NOW_MS + UNSCHEDULED_PATIENCE_MS + 1)?.reason).to.equal('PodUnschedulable');
  });

  it('is MemberSilent when the Pod is ready and its member does not answer', () => {
    expect(trouble(node(1, { answer: silent }))).to.deep.equal({
      reason: 'MemberSilent',
      message: 'member demo-1 at 10.0.0.2 does not answer: timed out',
      needsPerson: false,
    });
  });

  it('is MemberAnswerInvalid, for a person, when the Pod is ready and another program answers', () => {
    const answer = { ...silent, error: 'not a RESP reply', isInvalid: true } as const;
    const expected = {
      reason: 'MemberAnswerInvalid',
      message: 'member demo-1 at 10.0.0.2: not a RESP reply',
      needsPerson: true,
    };
    expect(trouble(node(1, { answer }))).to.deep.equal(expected);
    // Its probes may fail for that very reason, and then nothing else would ever be said.
    expect(trouble(node(1, { pod: pod(1, { isReady: false }), answer }))).to.deep.equal(expected);
  });

  it('is MemberAnswerInvalid also when the Pod is not ready, since its probes may fail for the same reason', () => {
    const answer = { ...silent, isInvalid: true } as const;
    expect(trouble(node(1, { pod: pod(1, { isReady: false }), answer }))?.reason).to.equal('MemberAnswerInvalid');
  });

  it('is MemberSilent for a member with clients that is silent past its time to return, not one millisecond before', () => {
    const starting = (agoMs: number) => pod(1, { isReady: false, createdAtMs: NOW_MS - agoMs });
    expect(trouble(node(1, { pod: starting(RETURN_PATIENCE_MS), answer: silent }))).to.equal(undefined);
    expect(trouble(node(1, { pod: starting(RETURN_PATIENCE_MS + 1), answer: silent }))?.reason).to.equal(
      'MemberSilent',
    );
  });

  it('is none for a silent member that never had clients, since it may still be copying', () => {
    const late = pod(1, { isReady: false, createdAtMs: NOW_MS - 10 * RETURN_PATIENCE_MS });
    expect(trouble(node(1, { pod: late, answer: silent, serving: false }))).to.equal(undefined);
  });
});

describe('the trouble of a Pod whose claim has no volume', () => {
  type Provisioning = { readonly className?: string; readonly provisioner?: string };
  const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available';
  const SINCE = 'PersistentVolumeClaim data-demo-1 has waited for its volume since 2026-01-01T00:10:00Z';
  const waitingClaim = ({ className, provisioner }: Provisioning, own: Partial<PodRecord> = {}, waitedMs = 120_000) =>
    trouble(
      node(1, {
        pod: freshPod(1, own),
        volume: volume(1, { isBound: false, createdAtMs: NOW_MS, provisioning: { className, provisioner } }),
      }),
      NOW_MS + waitedMs,
    );

  it('names the claim, since when it waits, and how to make a default class when it names no class', () => {
    expect(waitingClaim({}, { unschedulable: UNBOUND })).to.deep.equal({
      reason: 'StorageClassMissing',
      message: `${SINCE}: it names no StorageClass and none is the default; mark one as the default`,
      needsPerson: true,
    });
  });

  it('names the class that no provisioner serves, in the words of the scheduler, which may name more', () => {
    expect(waitingClaim({ className: 'fast' }, { unschedulable: UNBOUND })).to.deep.equal({
      reason: 'StorageClassMissing',
      message: `${SINCE}: StorageClass fast does not exist or makes no volumes; create it, or a PersistentVolume of that class (the scheduler says: ${UNBOUND})`,
      needsPerson: true,
    });
  });

  it('names the provisioner that is silent', () => {
    expect(waitingClaim({ className: 'fast', provisioner: 'disks.example.com' })).to.deep.equal({
      reason: 'VolumePending',
      message: `${SINCE}: disks.example.com has not made it; the events of the claim and the log of that provisioner say why`,
      needsPerson: true,
    });
  });

  it('is about the claim also when the Pod has a host, which waits for nothing else', () => {
    expect(waitingClaim({ className: 'fast' }, { hostName: 'host-1' })?.reason).to.equal('StorageClassMissing');
  });

  it('is about the Pod while the class binds with the first Pod and no host fits, since the claim waits for the Pod', () => {
    const held = waitingClaim({ className: 'fast' }, { unschedulable: '0/3 nodes are available: 3 Insufficient cpu.' });
    expect(held?.reason).to.equal('PodUnschedulable');
    expect(waitingClaim({ className: 'fast' })?.message).to.equal('Pod demo-1 has not been given a host');
  });

  const patience = [
    { of: 'a class', claim: {}, ms: CLAIM_PATIENCE_MS },
    {
      of: 'a provisioner',
      claim: { className: 'fast', provisioner: 'disks.example.com' },
      ms: PROVISIONING_PATIENCE_MS,
    },
  ];
  for (const { of, claim, ms } of patience) {
    it(`is none while ${of} has its time, whatever the scheduler says, and is reported one millisecond later`, () => {
      expect(waitingClaim(claim, { unschedulable: UNBOUND }, ms)).to.equal(undefined);
      expect(waitingClaim(claim, { unschedulable: UNBOUND }, ms + 1)?.needsPerson).to.equal(true);
    });

    it(`is looked at again when the time of ${of} is over`, () => {
      const waiting = volume(1, {
        isBound: false,
        createdAtMs: NOW_MS,
        provisioning: { className: undefined, provisioner: undefined, ...claim },
      });
      const own = node(1, { volume: waiting, serving: false, answer: notAsked });
      expect(startPatienceLeftMs(own, freshPod(1), NOW_MS)).to.equal(ms + 1);
      expect(startPatienceLeftMs(own, freshPod(1), NOW_MS + ms + 1)).to.equal(undefined);
    });
  }

  it('is not about the claim once it is bound, has lost its volume, or is being deleted', () => {
    const pod = freshPod(1, { hostName: 'host-1' });
    for (const change of [
      {},
      { isBound: false },
      { isBound: false, isTerminating: true, provisioning: { className: undefined, provisioner: undefined } },
    ])
      expect(
        trouble(node(1, { pod, volume: volume(1, change), answer: notAsked, serving: false }), NOW_MS + 120_000),
      ).to.equal(undefined);
  });
});

describe('the phase of a node', () => {
  const own = (view: ReturnType<typeof views>) => serving(view);
  const leavingView = views(3).map((entry) => (entry.id === 1 ? line(1, { hasPrimaries: false }) : entry));
  const table: readonly {
    readonly when: string;
    readonly node: Partial<NodeRecord>;
    readonly trouble?: true;
    readonly phase: NodePhase;
  }[] = [
    { when: 'it has no Pod', node: { pod: undefined }, phase: 'Pending' },
    { when: 'it has no Pod and is being deleted', node: { pod: undefined, isDeleting: true }, phase: 'Departed' },
    { when: 'its Pod has no host', node: { pod: freshPod(1), answer: notAsked }, phase: 'Pending' },
    {
      when: 'its Pod cannot get a host',
      node: { pod: freshPod(1), answer: notAsked },
      trouble: true,
      phase: 'Pending',
    },
    {
      when: 'its Pod has a host and no address',
      node: { pod: freshPod(1, { hostName: 'h' }), answer: notAsked },
      phase: 'Pending',
    },
    {
      when: 'its Pod has a host and cannot pull its image',
      node: { pod: freshPod(1, { hostName: 'h' }), answer: notAsked },
      trouble: true,
      phase: 'Failed',
    },
    {
      when: 'its Pod runs and nobody asked',
      node: { pod: pod(1, { isReady: false }), answer: notAsked },
      phase: 'Starting',
    },
    {
      when: 'its Pod runs and does not answer yet',
      node: { pod: pod(1, { isReady: false }), answer: silent },
      phase: 'Starting',
    },
    { when: 'its member is joining', node: { pod: pod(1, { isReady: false }), answer: joining }, phase: 'Joining' },
    {
      when: 'its member serves and shows itself without primaries',
      node: { answer: own(leavingView) },
      phase: 'Joining',
    },
    { when: 'its member does not show itself', node: { answer: own([line(0), line(2)]) }, phase: 'Joining' },
    { when: 'its member has primaries', node: {}, phase: 'Active' },
    {
      when: 'it is to leave and has no primaries',
      node: { answer: own(leavingView), intent: 'Leaving' },
      phase: 'Leaving',
    },
    { when: 'it is to leave and still has primaries', node: { intent: 'Leaving' }, phase: 'Leaving' },
    { when: 'its door is closed', node: sealedNode(1), phase: 'Leaving' },
    {
      when: 'its door is closed and it does not answer yet',
      node: sealedNode(1, { pod: sealedPod(1, { isReady: false }), answer: silent }),
      phase: 'Starting',
    },
    { when: 'its Pod is ready and its member silent', node: { answer: silent }, phase: 'Unknown' },
    {
      when: 'its Pod is ready and its member answers garbage',
      node: { answer: silent },
      trouble: true,
      phase: 'Unknown',
    },
  ];
  for (const row of table) {
    it(`is ${row.phase} when ${row.when}`, () => {
      expect(nodePhase(node(1, row.node), row.trouble === true)).to.equal(row.phase);
    });
  }
});

describe('seenBy', () => {
  it('counts the members that show the node, itself included', () => {
    expect(seenBy(node(1), nodes(3))).to.equal('3/3');
  });
  it('does not count a member that is silent', () => {
    expect(seenBy(node(1), withNode(nodes(3), 0, { answer: silent }))).to.equal('2/3');
  });
  it('does not count a member that shows a list without it', () => {
    expect(seenBy(node(1), withNode(nodes(3), 2, { answer: serving([line(0), line(2)]) }))).to.equal('2/3');
  });
  it('is 0 of all when no member was asked', () => {
    expect(
      seenBy(
        node(1),
        nodes(3).map((entry) => ({ ...entry, answer: notAsked })),
      ),
    ).to.equal('0/3');
  });
});
