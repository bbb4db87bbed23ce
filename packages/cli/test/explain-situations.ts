// Situations of a cluster, each with what a person must be told first: the rule, the member, since when, and the
// command. Messages are those that the operator stores (packages/planner and packages/operator make them).

import { ANNOTATIONS, type Operation } from '@marekvs/api';
import type { PodDisruptionBudget } from '@marekvs/runtime';
import type { Rule } from '../src/explain/catalogue/rules.ts';
import type { ExplainFacts } from '../src/explain/facts/finding.ts';
import {
  CREATED,
  claim,
  cluster,
  clusterCondition,
  facts,
  NAME,
  NOW_MS,
  node,
  notReady,
  pendingChange,
  pod,
  READY,
  SINCE,
  SINCE_MS,
  stalled,
  unready,
  unscheduledPod,
  waitingPod,
} from './support/objects.ts';

export interface Situation {
  readonly title: string;
  readonly facts: ExplainFacts;
  readonly rule: Rule;
  /** The node that must be named; undefined if the finding is about the whole cluster. */
  readonly member?: string;
  /** Since when; `unknown` if nothing shows it. Default SINCE. */
  readonly since?: number | 'unknown';
  /** One of the commands must match this. */
  readonly action: RegExp;
  readonly kind?: 'blocked' | 'waiting' | 'note';
}

function operation(change: Partial<Operation>): Operation {
  return {
    id: '2-abc',
    type: 'Remove',
    basis: 'Proof',
    target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2, podUID: 'pod-uid-2', pvcUID: 'claim-uid-2' },
    specGeneration: 1,
    phase: 'Proving',
    startedAt: SINCE,
    timeline: [{ phase: 'Claimed', at: SINCE }],
    ...change,
  };
}

export function blockedOperation(reason: string, message: string, phase: Operation['phase'] = 'Proving'): ExplainFacts {
  const blocked = { reason, message, since: SINCE, unblock: 'what the operator says' };
  const waits = notReady('ScalingClusterDown', 'removing demo-2: proving that every copy is on another member');
  return facts({ cluster: cluster({ status: { operation: operation({ blocked, phase }), conditions: [waits] } }) });
}

/** A removal that cannot begin, which only the condition Ready reports. */
function claimWaits(reason: Parameters<typeof notReady>[0], message: string): ExplainFacts {
  return facts({
    cluster: cluster({ status: { conditions: [notReady(reason, `removing demo-2 waits: ${message}`)] } }),
  });
}

/** A cluster whose members are fine, and which asks for something that is not in force. */
function asking(
  change: Parameters<typeof pendingChange>[0],
  spec: Partial<ExplainFacts['parts']['cluster']['spec']> = {},
  conditions: readonly ReturnType<typeof clusterCondition>[] = [READY],
): ExplainFacts {
  return facts({ cluster: cluster({ spec, status: { conditions, pendingChanges: [pendingChange(change)] } }) });
}

const FORCE = 'kubectl annotate marekvsnode demo-1 -n default marekvs.io/force-remove=node-uid-1/<reason>';
const LOSS = 'both homes of 1362 of 4096 partitions (33.3 %) were on two lost volumes';
const SILENT = 'member demo-1 at 10.0.0.2 does not answer: no answer within 2000 ms';
const IMAGE = 'Pod demo-2: Back-off pulling image "marekvs:nope"';
const QUOTA =
  'create pods default/demo-2: 403 Forbidden: pods "demo-2" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';

const BUDGET: PodDisruptionBudget = {
  metadata: { name: NAME, namespace: 'default' },
  spec: {},
  status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3 },
};

export const SITUATIONS: readonly Situation[] = [
  {
    title: 'no host can take a Pod',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'PodUnschedulable',
            'Pod demo-2 has no host: 0/3 nodes are available: 3 Insufficient cpu.',
          ),
        },
      }),
      nodes: [
        unready(
          2,
          'PodUnschedulable',
          'Pod demo-2 has no host: 0/3 nodes are available: 3 Insufficient cpu.',
          'Failed',
        ),
      ],
      pods: [unscheduledPod(2, '0/3 nodes are available: 3 Insufficient cpu.')],
    }),
    rule: 'PodUnschedulable',
    member: 'demo-2',
    action: /kubectl describe pod demo-2 -n default/,
  },
  {
    title: 'a member gives no metrics and no answer',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [notReady('MemberSilent', 'demo-1 of 3 members did not answer: no answer within 2000 ms')],
        },
      }),
      nodes: [unready(1, 'MemberSilent', SILENT, 'Unknown')],
    }),
    rule: 'MemberSilent',
    member: 'demo-1',
    action: /kubectl logs demo-1 -n default/,
  },
  {
    title: 'the members’ views disagree',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            notReady('ViewsDisagree', 'members show different lists: demo-0, demo-1 show 0,1; demo-2 show 2'),
          ],
        },
      }),
    }),
    rule: 'ViewsDisagree',
    member: 'demo-0',
    action: /kubectl mkv status demo -n default/,
  },
  {
    title: 'a member has stopped writes because its disk is full',
    facts: claimWaits('DiskFull', 'demo-1 has stopped writes because its disk is full'),
    rule: 'DiskFull',
    member: 'demo-1',
    action: /kubectl patch mkv demo -n default .*storage/,
  },
  {
    title: 'a host is drained and the disruption budget holds its member',
    facts: facts({ budgets: [BUDGET], drainingHosts: ['host-1'] }),
    rule: 'DisruptionBudget',
    member: 'demo-1',
    since: 'unknown',
    action: /kubectl mkv status demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'a quota refuses a Pod',
    facts: facts({
      cluster: cluster({ status: { conditions: stalled('QuotaExceeded', QUOTA) } }),
      nodes: [unready(2, 'QuotaExceeded', QUOTA, 'Failed')],
      without: ['pod/demo-2'],
      quotas: [{ name: 'small', hard: { pods: '2' }, used: { pods: '2' } }],
    }),
    rule: 'QuotaExceeded',
    member: 'demo-2',
    action: /kubectl describe quota -n default/,
  },
  {
    title: 'the image cannot be pulled',
    facts: facts({
      cluster: cluster({ status: { conditions: stalled('ImagePullFailed', IMAGE) } }),
      nodes: [unready(2, 'ImagePullFailed', IMAGE, 'Failed')],
      pods: [waitingPod(2, 'ImagePullBackOff', 'Back-off pulling image "marekvs:nope"')],
    }),
    rule: 'ImagePullFailed',
    member: 'demo-2',
    action: /kubectl edit mkv demo -n default/,
  },
  {
    title: 'a Pod does not end, with the operator away',
    facts: facts({
      pods: [pod(1, {}, { deletionTimestamp: SINCE })],
      operator: { lease: { kind: 'unknown', why: '403 Forbidden' } },
      unread: ['the operator’s lease in marekvs-system (403 Forbidden)'],
    }),
    rule: 'PodStuckTerminating',
    member: 'demo-1',
    action: /kubectl delete pod demo-1 -n default --force/,
  },
  {
    title: 'the records of the node that shall leave have not arrived on another home yet',
    facts: blockedOperation(
      'RecordsMissing',
      '4,093 of 4,096 partitions compared, 3 records of demo-2 missing on demo-1',
    ),
    rule: 'RecordsMissing',
    member: 'demo-2',
    action: /kubectl mkv proof demo-2 -n default/,
    kind: 'waiting',
  },
  {
    title: 'a removal waits because a value is larger than the server replicates',
    facts: blockedOperation(
      'ReplicationStuck',
      '1 record of demo-2 missing on demo-1, in 1 partition, and nothing has arrived for 10 minutes',
    ),
    rule: 'ReplicationStuck',
    member: 'demo-2',
    action: /kubectl mkv verify demo -n default/,
    kind: 'blocked',
  },
  {
    title: 'the mesh port of a member is closed to the operator',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            ...stalled(
              'ContentsUnreadable',
              'the contents of demo-1 cannot be read: connect 10.0.0.2:7373: connection refused',
            ),
            clusterCondition(
              'FullyReplicated',
              'Unknown',
              'ContentsUnreadable',
              'the contents of demo-1 cannot be read: connect 10.0.0.2:7373: connection refused',
            ),
          ],
        },
      }),
    }),
    rule: 'ContentsUnreadable',
    member: 'demo-1',
    action: /kubectl get netpol -n default .*7373/,
    kind: 'blocked',
  },
  {
    title: 'the contents of a removal are being compared',
    facts: blockedOperation('ComparingContents', '1,412 of 4,096 partitions compared'),
    rule: 'ComparingContents',
    member: 'demo-2',
    action: /kubectl mkv proof demo-2 -n default/,
    kind: 'waiting',
  },
  {
    title: 'records are missing in a cluster at rest',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            READY,
            clusterCondition('FullyReplicated', 'False', 'RecordsMissing', '3 records of demo-2 missing on demo-1'),
          ],
        },
      }),
    }),
    rule: 'RecordsMissing',
    member: 'demo-2',
    action: /kubectl mkv verify demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'the members have not been compared for minutes',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            READY,
            clusterCondition(
              'FullyReplicated',
              'Unknown',
              'NotCompared',
              'the members have changed and are compared once they agree',
            ),
          ],
        },
      }),
    }),
    rule: 'NotCompared',
    action: /kubectl mkv verify demo -n default/,
    kind: 'note',
  },
  {
    title: 'the cluster is as small as it may be and a node was deleted by hand',
    facts: claimWaits('AtFloor', '2 would be left without demo-2, and replicationFactor 2 needs 3'),
    rule: 'AtFloor',
    member: 'demo-2',
    action: /kubectl patch mkv demo -n default .*"nodes"/,
  },
  {
    title: 'fewer nodes are wanted than the floor',
    facts: asking({ field: 'spec.nodes', asked: '1', effective: '3', reason: 'BelowFloor' }, { nodes: 1 }),
    rule: 'BelowFloor',
    action: /kubectl mkv scale demo/,
  },
  {
    title: 'an image is asked for that nobody runs, and a person has paused the update',
    facts: asking({
      field: 'spec.image',
      asked: 'marekvs:2',
      effective: 'marekvs:1',
      reason: 'RolloutPaused',
      wayOut: 'Let it go on with kubectl mkv rollout resume.',
    }),
    rule: 'RolloutPaused',
    action: /kubectl mkv rollout resume demo -n default/,
  },
  {
    title: 'an image comes to the members one after the other',
    facts: asking({ field: 'spec.image', reason: 'RollingOut', needsPerson: false }),
    rule: 'RollingOut',
    action: /kubectl mkv rollout status demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'the Secret with the password is not there',
    facts: asking({ field: 'spec.auth', reason: 'SecretMissing' }, {}, [
      READY,
      clusterCondition('Stalled', 'True', 'SecretMissing', 'spec.auth names Secret one, which is not there'),
    ]),
    rule: 'SecretMissing',
    action: /kubectl get secret -n default/,
  },
  {
    title: 'some members want a password and others do not',
    facts: asking({ field: 'spec.auth', reason: 'AuthNotInForce' }, {}, [
      READY,
      clusterCondition('Stalled', 'True', 'AuthMixed', 'only demo-1 of 3 members want a password'),
    ]),
    rule: 'AuthMixed',
    member: 'demo-1',
    action: /kubectl get mkvnode -n default .*authSecretRef/,
  },
  {
    title: 'all homes of some data are lost, and everything else is well again',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            READY,
            clusterCondition('Stalled', 'True', 'DataLost', LOSS),
            clusterCondition('DataLost', 'True', 'DataLost', LOSS),
          ],
        },
      }),
    }),
    rule: 'DataLost',
    action: /kubectl mkv acknowledge demo -n default/,
  },
  {
    title: 'a person paused the cluster',
    facts: facts({
      cluster: cluster({
        spec: { paused: true },
        status: {
          conditions: [
            notReady('MemberMissing', '2 of 3 members are ready'),
            clusterCondition('Paused', 'True', 'Paused', 'spec.paused is true: 1 node is to be added'),
          ],
        },
      }),
      nodes: [
        unready(0, 'Paused', 'spec.paused of the cluster is true', 'Active'),
        unready(1, 'Paused', 'spec.paused of the cluster is true', 'Active'),
      ],
    }),
    rule: 'Paused',
    action: /kubectl mkv resume demo -n default/,
  },
  {
    title: 'all members are stopped, as it was asked for',
    facts: facts({
      cluster: cluster({
        spec: { hibernated: true },
        status: {
          operation: operation({ type: 'Hibernate', target: undefined, phase: 'Hibernated' }),
          conditions: [notReady('Hibernated', 'all members are stopped and their volumes kept')],
        },
      }),
      nodes: [
        unready(0, 'Hibernated', 'demo-0 is stopped with all members of demo', 'Hibernated'),
        unready(1, 'Hibernated', 'demo-1 is stopped with all members of demo', 'Hibernated'),
      ],
    }),
    rule: 'Hibernated',
    action: /kubectl mkv wake demo -n default/,
  },
  {
    title: 'all members have been stopped for too long to be woken as they are',
    facts: facts({
      cluster: cluster({
        status: {
          operation: operation({ type: 'Hibernate', target: undefined, phase: 'Hibernated' }),
          conditions: stalled('HibernatedTooLong', 'stopped since 2026-01-01T00:00:00Z: raise spec.gcGraceSeconds'),
        },
      }),
    }),
    rule: 'HibernatedTooLong',
    action: /kubectl edit mkv demo -n default/,
  },
  {
    title: 'one member is off its volume for repair by hand',
    facts: facts({
      cluster: cluster({
        status: {
          operation: operation({ type: 'Suspend', target: undefined, phase: 'Suspended' }),
          conditions: [notReady('Suspended', 'demo-1 is stopped for repair by hand (anna)')],
        },
      }),
      nodes: [unready(1, 'Suspended', 'demo-1 is stopped for repair by hand (anna)', 'Suspended')],
    }),
    rule: 'Suspended',
    member: 'demo-1',
    action: /kubectl mkv resume-member demo-1 -n default/,
  },
  {
    title: 'one member has been off its volume for too long',
    facts: facts({
      cluster: cluster({
        status: {
          operation: operation({ type: 'Suspend', target: undefined, phase: 'Suspended' }),
          conditions: stalled('SuspendedTooLong', 'demo-1 has been away since 2026-01-01T00:00:00Z'),
        },
      }),
    }),
    rule: 'SuspendedTooLong',
    member: 'demo-1',
    action: /kubectl mkv replace demo-1 -n default/,
  },
  {
    title: 'replicationFactor is 1, so a removal loses data',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'ReplicationFactorOne',
            'removing demo-2 waits: with replicationFactor 1 nobody else has what demo-2 holds: raise spec.replicationFactor to 2 or more, or accept the loss by annotating it marekvs.io/force-remove=node-uid-2/<reason>',
          ),
        },
      }),
    }),
    rule: 'ReplicationFactorOne',
    member: 'demo-2',
    action: /"replicationFactor":2/,
  },
  {
    title: 'the stored spec breaks a rule',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'InvalidSpec',
            'spec.storage.size: spec.storage.size must be a quantity greater than 0, such as 10Gi',
          ),
        },
      }),
    }),
    rule: 'InvalidSpec',
    action: /kubectl edit mkv demo -n default/,
  },
  {
    title: 'the operator has stopped renewing its lease',
    facts: facts({
      operator: {
        lease: {
          kind: 'read',
          name: 'marekvs-operator',
          holder: 'marekvs-operator-abc_uid_boot',
          renewedMs: SINCE_MS,
          durationMs: 15_000,
        },
      },
    }),
    rule: 'OperatorDown',
    action: /kubectl logs deploy\/marekvs-operator -n marekvs-system/,
  },
  {
    title: 'the operator was never there',
    facts: facts({ cluster: cluster({ status: undefined }), operator: { lease: { kind: 'missing' } } }),
    rule: 'OperatorDown',
    since: 'unknown',
    action: /kubectl get deploy,pods -n marekvs-system/,
  },
  {
    title: 'the operator lost its lease a moment ago and nobody has it',
    facts: facts({
      operator: {
        lease: { kind: 'read', name: 'marekvs-operator', holder: '', renewedMs: NOW_MS - 5_000, durationMs: 1_000 },
      },
    }),
    rule: 'OperatorLeaseFree',
    since: NOW_MS - 5_000,
    action: /-n marekvs-system/,
    kind: 'waiting',
  },
  {
    title: 'the lease was released long ago',
    facts: facts({
      operator: {
        lease: { kind: 'read', name: 'marekvs-operator', holder: '', renewedMs: SINCE_MS, durationMs: 1_000 },
      },
    }),
    rule: 'OperatorDown',
    action: /-n marekvs-system/,
  },
  {
    title: 'the operator lacks a permission in this namespace',
    facts: facts({
      cluster: cluster({ status: undefined }),
      operator: { missingPermissions: ['create, delete pods', 'update marekvsnodes/status.marekvs.io'] },
    }),
    rule: 'Unauthorized',
    since: 'unknown',
    action: /kubectl apply -k config\/components\/cluster-role/,
  },
  {
    title: 'nobody manages this namespace',
    facts: facts({ cluster: cluster({ status: undefined }) }),
    rule: 'NotWatched',
    since: NOW_MS - 3_600_000,
    action: /kubectl logs deploy\/marekvs-operator/,
  },
  {
    title: 'the container cannot be made because its Secret is missing',
    facts: facts({
      nodes: [
        unready(
          0,
          'ContainerConfigInvalid',
          'Pod demo-0: CreateContainerConfigError secret "redis" not found',
          'Failed',
        ),
      ],
      pods: [waitingPod(0, 'CreateContainerConfigError', 'secret "redis" not found')],
    }),
    rule: 'ContainerConfigInvalid',
    member: 'demo-0',
    action: /kubectl get secret -n default/,
  },
  {
    title: 'a member crashes again and again',
    facts: facts({
      pods: [waitingPod(1, 'CrashLoopBackOff')],
      nodes: [unready(1, 'CrashLooping', 'Pod demo-1 ends again and again, see its log', 'Failed')],
    }),
    rule: 'CrashLooping',
    member: 'demo-1',
    action: /kubectl logs demo-1 -n default --previous/,
  },
  {
    title: 'a volume is not bound, and the operator has not said so',
    facts: facts({
      volumes: [claim(2, { phase: 'Pending' }, { creationTimestamp: SINCE }, 'fast')],
      events: [
        {
          atMs: SINCE_MS,
          type: 'Warning',
          reason: 'ProvisioningFailed',
          note: 'storageclass "fast" not found',
          kind: 'PersistentVolumeClaim',
          name: 'data-demo-2',
          count: 3,
        },
      ],
    }),
    rule: 'VolumePending',
    member: 'demo-2',
    action: /kubectl describe pvc data-demo-2 -n default/,
  },
  {
    title: 'a claim names no StorageClass, and none is the default',
    facts: facts({
      volumes: [claim(2, { phase: 'Pending' }, { creationTimestamp: SINCE })],
      pods: [unscheduledPod(2, 'pod has unbound immediate PersistentVolumeClaims')],
    }),
    rule: 'StorageClassMissing',
    member: 'demo-2',
    action: /kubectl get storageclass/,
  },
  {
    title: 'a provisioner is silent',
    facts: facts({
      volumes: [
        claim(
          2,
          { phase: 'Pending' },
          {
            creationTimestamp: SINCE,
            annotations: { 'volume.kubernetes.io/storage-provisioner': 'disks.example.com' },
          },
          'fast',
        ),
      ],
      pods: [unscheduledPod(2, 'pod has unbound immediate PersistentVolumeClaims')],
    }),
    rule: 'VolumePending',
    member: 'demo-2',
    action: /kubectl describe pvc data-demo-2 -n default/,
  },
  {
    title: 'a volume is gone',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            notReady(
              'VolumeLost',
              'the volume of demo-1 is gone: its id is not used again and a new node takes its place',
            ),
            clusterCondition(
              'DataAtRisk',
              'True',
              'VolumeLost',
              'the volume of demo-1 is gone: what only it held is lost',
            ),
          ],
        },
      }),
      without: ['pvc/data-demo-1'],
    }),
    rule: 'VolumeLost',
    member: 'demo-1',
    action: /kubectl mkv volumes demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'the member that shall leave does not come up with its door closed',
    facts: blockedOperation('MemberSealing', 'not every member shows demo-2 behind its closed door yet', 'Sealing'),
    rule: 'MemberSealing',
    member: 'demo-2',
    action: /kubectl mkv proof demo-2 -n default/,
    kind: 'waiting',
  },
  {
    title: 'a removal has passed its deadline and is taken back',
    facts: facts({
      cluster: cluster({
        status: {
          operation: operation({
            phase: 'Cancelling',
            cancel: {
              reason: 'DeadlineExceeded',
              message: 'not proven within 3600 s: 17 records of demo-2 missing on demo-1',
            },
          }),
          conditions: [notReady('ScalingClusterDown', 'removing demo-2: it comes back')],
        },
      }),
    }),
    rule: 'DeadlineExceeded',
    member: 'demo-2',
    action: /kubectl mkv cancel demo -n default/,
    kind: 'waiting',
  },
  {
    title: 'the next removal waits because the last one passed its deadline',
    facts: facts({
      cluster: cluster({
        status: {
          lastOperation: {
            id: '2-abc',
            type: 'Remove',
            target: { name: 'demo-2', uid: 'node-uid-2', nodeId: 2 },
            outcome: 'Failed',
            reason: 'DeadlineExceeded',
            message: 'demo-2 stays: not proven within 3600 s: 17 records of demo-2 missing on demo-1',
            startedAt: CREATED,
            finishedAt: SINCE,
          },
          conditions: [
            notReady(
              'RetryDelayed',
              'the removal of demo-2 was undone: the next one is tried at 01:05:00Z, or when the spec changes',
            ),
          ],
        },
      }),
    }),
    rule: 'DeadlineExceeded',
    member: 'demo-2',
    action: /kubectl events -n default --for mkv\/demo/,
    kind: 'waiting',
  },
  {
    title: 'a member that was Active does not join again',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'MemberJoining',
            `demo-1 was Active before and has not joined again within 600 s, see its log: correct the template if that is the reason, restart it (kubectl delete pod demo-1 -n default), or accept the loss of what only it holds (${FORCE})`,
          ),
        },
      }),
    }),
    rule: 'MemberJoining',
    member: 'demo-1',
    action: /^kubectl delete pod demo-1 -n default$/,
  },
  {
    title: 'a member whose volume is gone does not join',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'MemberJoining',
            `demo-1 has not joined within 600 s, see its log, and its volume is gone, so that a restart would end what it holds: accept the loss of what only it holds (${FORCE})`,
          ),
        },
      }),
    }),
    rule: 'MemberJoining',
    member: 'demo-1',
    action: /^kubectl annotate marekvsnode demo-1 -n default marekvs\.io\/force-remove=node-uid-1\/<reason>$/,
  },
  {
    title: 'the force-remove annotation names another UID',
    facts: facts({
      nodes: [node(1, { metadata: { annotations: { [ANNOTATIONS.forceRemove]: 'other-uid/broken host' } } })],
    }),
    rule: 'ForceIgnored',
    member: 'demo-1',
    since: 'unknown',
    action: /kubectl mkv force-remove demo-1 -n default/,
    kind: 'note',
  },
  {
    title: 'a removal was undone and the next one waits',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            notReady(
              'RetryDelayed',
              'the removal of demo-2 was undone: the next one is tried at 01:05:00Z, or when the spec changes',
            ),
          ],
        },
      }),
    }),
    rule: 'RetryDelayed',
    member: 'demo-2',
    action: /kubectl events -n default --for mkv\/demo/,
    kind: 'waiting',
  },
  {
    title: 'the name of a Pod is taken by somebody else',
    facts: facts({
      nodes: [unready(2, 'NameTaken', 'Pod demo-2 belongs to another owner: waiting until it is gone', 'Failed')],
      cluster: cluster({
        status: { conditions: stalled('NameTaken', 'Pod demo-2 belongs to another owner: waiting until it is gone') },
      }),
    }),
    rule: 'NameTaken',
    member: 'demo-2',
    action: /kubectl describe pod demo-2 -n default/,
  },
  {
    title: 'the handover to a StatefulSet stands still half-way',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: stalled(
            'ReleaseWaiting',
            'StatefulSet demo is to be made: kubectl mkv release demo -n default goes on, kubectl mkv adopt demo -n default takes it back',
          ),
        },
      }),
    }),
    rule: 'ReleaseWaiting',
    action: /^kubectl mkv release demo -n default$/,
  },
  {
    title: 'the handover to a StatefulSet is refused because of a member',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            READY,
            clusterCondition(
              'Stalled',
              'True',
              'ReleaseRefused',
              'demo-2 has its data in /data/n2, and a StatefulSet of the existing operator looks in /data: remove demo-2 first, beginning with kubectl mkv remove demo-2 -n default --shrink',
            ),
          ],
        },
      }),
    }),
    rule: 'ReleaseRefused',
    member: 'demo-2',
    action: /^kubectl mkv adopt demo -n default$/,
  },
  {
    title: 'nothing of a formed cluster is left',
    facts: facts({
      cluster: cluster({
        status: {
          conditions: [
            ...stalled(
              'TotalLoss',
              'no volume of the formed cluster demo is left: it is not formed a second time by itself',
            ),
            clusterCondition(
              'DataAtRisk',
              'True',
              'TotalLoss',
              'no volume of the formed cluster demo is left: it is not formed a second time by itself',
            ),
          ],
        },
      }),
    }),
    rule: 'TotalLoss',
    action: /kubectl mkv volumes demo -n default/,
  },
  {
    title: 'a webhook changes an object back again and again',
    facts: facts({
      cluster: cluster({
        status: { conditions: stalled('DriftLoop', 'Service default/demo was changed back 3 times') },
      }),
    }),
    rule: 'DriftLoop',
    action: /--show-managed-fields/,
  },
];
