// Alerts about clusters, members and removals. Each is about one object, with the reason of the catalogue.

import { type Alert, M } from './alert.ts';

const STUCK = `${M}cluster_stuck_since_timestamp_seconds`;
const DESCRIBE_LABELLED = 'kubectl describe mkv {{ $labels.cluster }} -n {{ $labels.namespace }}';
const CLUSTER = '{{ $labels.namespace }}/{{ $labels.cluster }}';
const DESCRIBE = 'kubectl describe mkv <cluster> -n <namespace>';
const GROW_VOLUMES =
  'kubectl patch mkv <cluster> -n <namespace> --type=merge -p \'{"spec":{"storage":{"size":"<size>"}}}\'';

export const CLUSTER_ALERTS: readonly Alert[] = [
  {
    name: 'MarekvsDataAtRisk',
    severity: 'critical',
    expr: `${STUCK}{problem="DataAtRisk"} > 0`,
    for: '0s',
    summary: `Data of ${CLUSTER} is lost or at risk: {{ $labels.reason }}`,
    description: `A volume is gone, or a member goes without proof. ${DESCRIBE_LABELLED}`,
    meaning:
      'The condition DataAtRisk is True. The cluster serves what it has; with replicationFactor 2 or more the other homes usually have everything.',
    steps: [
      'Read the message of the condition: it names the node and what only it held.',
      'Delete no volume claim and remove no other node until the condition is gone.',
      'Keep the volume of the node named, if there is one: it may hold the only copy of something.',
    ],
    commands: [DESCRIBE, 'kubectl get pvc -n <namespace> -l marekvs.io/cluster=<cluster>'],
    isByReason: true,
  },
  {
    name: 'MarekvsClusterStalled',
    severity: 'warning',
    expr: `time() - ${STUCK}{problem="Stalled",reason!~"DriftLoop|RolloutStopped"} > 300`,
    for: '1m',
    summary: `${CLUSTER} waits for a person: {{ $labels.reason }}`,
    description: `For {{ $value | humanizeDuration }} nothing gets on without you. ${DESCRIBE_LABELLED}`,
    meaning: 'The condition Stalled is True: the operator has done what it may. The members that run serve on.',
    steps: ['Read the message of the condition and the paragraph of its reason: both say what would end it.'],
    commands: [DESCRIBE],
    isByReason: true,
  },
  {
    name: 'MarekvsDriftLoop',
    severity: 'warning',
    expr: `time() - ${STUCK}{problem="Stalled",reason="DriftLoop"} > 300`,
    for: '1m',
    summary: `Another program changes objects of ${CLUSTER} back again and again`,
    description: `The operator slows down so that the two do not fight. ${DESCRIBE_LABELLED}`,
    meaning:
      'A Service, disruption budget or network policy is edited by a webhook or a controller as often as it is applied.',
    steps: ['Find the program in managedFields of the object the condition names.', 'Exempt our objects from it.'],
    commands: ['kubectl get <kind> <name> -n <namespace> -o yaml --show-managed-fields'],
  },
  {
    name: 'MarekvsClusterNotReady',
    severity: 'warning',
    expr: `(time() - ${STUCK}{problem="NotReady"} > 900) unless on (namespace, cluster) ${STUCK}{problem="Stalled"}`,
    for: '1m',
    summary: `${CLUSTER} is not ready: {{ $labels.reason }}`,
    description: `It has not been at its desired state for {{ $value | humanizeDuration }}. ${DESCRIBE_LABELLED}`,
    meaning:
      'The condition Ready is not True for longer than forming, growing or a repair should take, and nobody was called yet. A cluster that is being deleted counts too.',
    steps: [
      'Read the message of the condition Ready: it has the counts and the first thing in the way.',
      'A join of much data may take longer; the phase of the nodes then moves.',
    ],
    commands: [DESCRIBE, 'kubectl get mkvnode -n <namespace> -l marekvs.io/cluster=<cluster> -o wide'],
    isByReason: true,
  },
  {
    name: 'MarekvsUpdateStopped',
    severity: 'warning',
    expr: `${STUCK}{problem="UpdateStopped"} > 0`,
    for: '1m',
    summary: `The rolling update of ${CLUSTER} has stopped: {{ $labels.reason }}`,
    description:
      'A member did not come up with the changed template. No other one is touched, and all keys are served. kubectl mkv rollout status {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'status.update.stopped names node and cause. With rollbackOnFailure that node is back on the template that all had. It stays so until the template changes or somebody retries.',
    steps: [
      'Read what was wrong with the node, and what differs from the revision before.',
      'Correct the template, or undo it.',
      'Retry where the cause was not in the template, such as a registry that was away.',
    ],
    commands: [
      'kubectl mkv rollout status <cluster> -n <namespace>',
      'kubectl mkv rollout undo <cluster> -n <namespace>',
      'kubectl mkv rollout retry <cluster> -n <namespace>',
    ],
  },
  {
    name: 'MarekvsUpdateSlow',
    severity: 'warning',
    expr: `(time() - ${M}cluster_update_since_timestamp_seconds) > on (namespace, cluster) (600 * ${M}cluster_update_members{state="total"})`,
    for: '1m',
    summary: `The rolling update of ${CLUSTER} has taken {{ $value | humanizeDuration }}`,
    description:
      'More than ten minutes for each member, where half a minute is usual. kubectl mkv explain {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'Members are being restarted one by one, and a turn waits: for a member that is away, for records that have not arrived, for a Pod that does not start. All keys are served meanwhile.',
    steps: ['Read what the turn waits for.', 'Pause or undo the update, should it have to wait for longer.'],
    commands: [
      'kubectl mkv explain <cluster> -n <namespace>',
      'kubectl mkv rollout status <cluster> -n <namespace>',
      'kubectl mkv rollout pause <cluster> -n <namespace>',
    ],
  },
  {
    name: 'MarekvsSizeLimited',
    severity: 'warning',
    // The series has the time of the size, not of its reason.
    expr: `max by (namespace, cluster, reason) (${STUCK}{problem="SizeLimited"}) > 0`,
    for: '10m',
    summary: `The size of ${CLUSTER} does not follow its load: {{ $labels.reason }}`,
    description:
      'It has as many nodes as it may have, or what its members serve is not known. kubectl mkv autoscale {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'Members may carry more than spec.autoscale wants them to. Nothing is refused because of that, and no node goes meanwhile.',
    steps: [
      'Read what load and disks ask for, and whether one member serves most of it: more nodes do not help a hot key.',
      'Raise spec.autoscale.maxNodes or the target; or look after the member that does not answer.',
    ],
    commands: ['kubectl mkv autoscale <cluster> -n <namespace>'],
    isByReason: true,
  },
  {
    name: 'MarekvsRemovalBlocked',
    severity: 'warning',
    expr: `time() - ${STUCK}{problem="RemovalBlocked"} > 1800`,
    for: '1m',
    summary: `A removal in ${CLUSTER} has been waiting for {{ $value | humanizeDuration }}: {{ $labels.reason }}`,
    description: `The node stays a full member until its data is proven to be elsewhere. ${DESCRIBE_LABELLED}`,
    meaning: 'Nothing is lost and nothing is forced: the cluster is larger than wanted until the proof is there.',
    steps: [
      'Read status.operation.blocked: what is missing, since when, and what would let it go on.',
      'Raise the size again to give the removal up.',
    ],
    commands: ["kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.operation}'"],
    isByReason: true,
  },
  {
    name: 'MarekvsRemovalFailed',
    severity: 'warning',
    expr: `sum by (basis, reason) (${M}removals_total{outcome="Failed"}) - (sum by (basis, reason) (${M}removals_total{outcome="Failed"} offset 1h) or sum by (basis, reason) (${M}removals_total{outcome="Failed"} * 0)) > 0`,
    for: '0s',
    summary: 'A removal was undone or could not be finished: {{ $labels.reason }}',
    description: 'In the last hour {{ $value }} removals of a node ended as Failed. kubectl events -A shows which.',
    meaning:
      'It was not proven by its deadline and was taken back; or after the node had gone, the others could not be proven to hold everything, so it came back from its volume; or its finalizer was taken off by hand.',
    steps: ['Read status.lastOperation of the cluster the event names.', 'Look after what its message names.'],
    commands: [
      "kubectl get mkv -A -o custom-columns='NS:.metadata.namespace,NAME:.metadata.name,OUTCOME:.status.lastOperation.outcome,WHY:.status.lastOperation.message'",
    ],
    isByReason: true,
  },
  {
    name: 'MarekvsNodeVanished',
    severity: 'warning',
    expr: `increase(${M}nodes_vanished_total[1h]) > 0`,
    for: '0s',
    summary: 'A MarekvsNode vanished without a finished removal',
    description: 'Somebody took its finalizer off by hand, which skips every proof. The membership is being repaired.',
    meaning: 'A person or a script removes finalizers. The data of that node was not proven to be elsewhere.',
    steps: [
      'See the event FinalizerRemoved for the name.',
      'Let nodes be removed with kubectl scale or kubectl delete mkvnode.',
    ],
    commands: ['kubectl events -A --types=Warning'],
  },
  {
    name: 'MarekvsMemberSilent',
    severity: 'warning',
    expr: `time() - ${M}member_silent_since_timestamp_seconds > 300`,
    for: '1m',
    summary: `${CLUSTER}: {{ $labels.node }} does not answer`,
    description: 'Silent for {{ $value | humanizeDuration }}. The others serve; nothing is removed meanwhile.',
    meaning: 'The Pod of the member runs, and neither its metrics nor its list of members can be read.',
    steps: [
      'Read the log of the Pod and look at its host.',
      'Check that a NetworkPolicy lets the operator reach port 9121.',
      'A Pod that hangs may be deleted: it comes back on its volume.',
    ],
    commands: ['kubectl logs <node> -n <namespace>', 'kubectl delete pod <node> -n <namespace>'],
  },
  {
    name: 'MarekvsOneZoneHasMost',
    severity: 'info',
    expr: `${M}cluster_one_zone_ratio > 0.6 and on () max (${M}zones) > 1`,
    for: '1h',
    summary: `{{ $value | humanizePercentage }} of the keys of ${CLUSTER} are in one zone alone`,
    description:
      'There are members in other zones as well. kubectl mkv status {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'All homes of these keys are in one zone, so that they are away, or gone, with it. An even spread over two zones leaves less than half of the keys in one. Nothing is wrong now.',
    steps: [
      'Look where the members are, and why: a nodeSelector, an affinity, volumes that are bound to a zone, or no room elsewhere.',
      'Where other zones have room, replace members one at a time: each new one prefers a zone that has fewer. A volume of a zone stays there, and a new member makes a new one.',
      'Where no share at all may be in one zone, set replicationFactor to more than any zone has members: `kubectl mkv status` names the number.',
    ],
    commands: [
      'kubectl get mkvnode -n <namespace> -l marekvs.io/cluster=<cluster> -o wide',
      'kubectl mkv replace <node> -n <namespace>',
    ],
  },
  {
    name: 'MarekvsDiskNearlyFull',
    severity: 'warning',
    expr: `${M}member_disk_used_ratio > 0.85`,
    for: '10m',
    summary: `${CLUSTER}: the disk of {{ $labels.node }} is {{ $value | humanizePercentage }} full`,
    description: 'A full disk stops the writes of this member, and keeps removals from beginning.',
    meaning:
      'By the figures of the member its disk has little room left. Deleted keys keep their place until gcGraceSeconds have passed.',
    steps: [
      'Raise spec.storage.size, where the storage class allows it; spec.storage.autoGrow does it in time by itself.',
      'Or add nodes: each takes its share of what comes. What is on this disk stays there.',
    ],
    commands: [GROW_VOLUMES, 'kubectl scale mkv/<cluster> -n <namespace> --replicas=<nodes>'],
  },
  {
    name: 'MarekvsDiskFull',
    severity: 'critical',
    expr: `${M}member_disk_used_ratio > 0.95`,
    for: '2m',
    summary: `${CLUSTER}: the disk of {{ $labels.node }} is {{ $value | humanizePercentage }} full`,
    description: 'The member stops writes now or in a moment: clients get errors.',
    meaning:
      'This member refuses every write of a client; what comes from other members it still takes, until nothing is left.',
    steps: ['Grow the volume claim.', 'Until then delete keys through other members: this one refuses that, too.'],
    commands: [GROW_VOLUMES],
  },
];
