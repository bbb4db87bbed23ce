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
    description: `A volume is gone, or a member is being removed without proof. ${DESCRIBE_LABELLED}`,
    meaning:
      'The condition DataAtRisk is True. The cluster serves what it has. With replicationFactor 2 or more the other homes usually have everything.',
    steps: [
      'Read the message of the condition: it names the node and what only it held.',
      'Delete no volume claim and remove no other node until the condition is gone.',
      'Keep the volume of that node, if there is one: it may hold the only copy of something.',
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
    description: `It has been waiting for somebody to act for {{ $value | humanizeDuration }}. ${DESCRIBE_LABELLED}`,
    meaning: 'The condition Stalled is True: the operator has done all it may do. Running members serve on.',
    steps: ['Read the message of the condition and the paragraph on its reason: both say what would end it.'],
    commands: [DESCRIBE],
    isByReason: true,
  },
  {
    name: 'MarekvsDriftLoop',
    severity: 'warning',
    expr: `time() - ${STUCK}{problem="Stalled",reason="DriftLoop"} > 300`,
    for: '1m',
    summary: `Another program keeps changing objects of ${CLUSTER} back`,
    description: `The operator has slowed down, so that the two do not fight. ${DESCRIBE_LABELLED}`,
    meaning:
      'A webhook or a controller edits a Service, disruption budget or network policy each time the operator applies it.',
    steps: [
      'Find the program: it is in managedFields of the object that the condition names.',
      'Exempt our objects from it.',
    ],
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
      'The condition Ready has not been True for longer than forming, growing or a repair should take, and no other alert has called anybody yet. A cluster that is being deleted counts too.',
    steps: [
      'Read the message of the condition Ready: it has the counts and the most important obstacle.',
      'Joining may take longer if there is much data; then the phases of the nodes keep changing.',
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
      'A member did not come up with the changed template. No other member is touched, and all keys are served. kubectl mkv rollout status {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'status.update.stopped names the node and the cause. With rollbackOnFailure that node has gone back to the template that all had. The update stays stopped until the template changes or somebody retries.',
    steps: [
      'Read what was wrong with the node, and what differs from the previous revision.',
      'Correct the template, or undo it.',
      'Retry if the cause was not in the template, such as a registry that was down.',
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
      'Members are being restarted one by one, and one member’s turn is waiting: for a member that is away, for records that have not arrived, or for a Pod that does not start. All keys are served meanwhile.',
    steps: ['Read what the turn waits for.', 'Pause or undo the update if it has to wait longer.'],
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
      'It already has as many nodes as it may have, or the load of its members is unknown. kubectl mkv autoscale {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'Members may carry more than spec.autoscale intends. Nothing is refused because of that, and no node is removed meanwhile.',
    steps: [
      'Read what load and disks call for, and whether one member serves most of it: more nodes do not help with a hot key.',
      'Raise spec.autoscale.maxNodes or the target; or see to the member that does not answer.',
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
    meaning: 'Nothing is lost and nothing is forced: the cluster is larger than desired until the proof is there.',
    steps: [
      'Read status.operation.blocked: what is missing, since when, and what would let the removal proceed.',
      'To give up the removal, raise the size again.',
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
    description: 'In the last hour {{ $value }} removals ended as Failed. kubectl events -A shows which.',
    meaning:
      'It was not proven by its deadline and was taken back; or the others could not be proven to hold everything after the node was gone, so it came back from its volume; or its finalizer was removed by hand.',
    steps: ['Read status.lastOperation of the cluster the event names.', 'See to what its message names.'],
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
    description: 'Somebody removed its finalizer by hand, which skips every proof. The membership is being repaired.',
    meaning: 'A person or a script removes finalizers. The data of that node was not proven to be elsewhere.',
    steps: [
      'The event FinalizerRemoved has the name.',
      'Make sure that nodes are removed with kubectl scale or kubectl delete mkvnode.',
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
    meaning: 'The Pod of the member runs, but neither its metrics nor its list of members can be read.',
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
    summary: `{{ $value | humanizePercentage }} of the keys of ${CLUSTER} are in a single zone`,
    description:
      'There are members in other zones, too. kubectl mkv status {{ $labels.cluster }} -n {{ $labels.namespace }}',
    meaning:
      'All homes of these keys are in one zone, so an outage of that zone makes them unavailable, and its loss loses them. With members spread evenly over two zones, less than half of the keys are in one. Nothing is wrong now.',
    steps: [
      'See where the members are, and why: a nodeSelector, an affinity, volumes that are bound to a zone, or no room elsewhere.',
      'If other zones have room, replace members one at a time: each new one prefers a zone with fewer members. A volume stays in its zone, and a new member gets a new one.',
      'If no key may be in a single zone, set replicationFactor to more than the number of members in any zone: `kubectl mkv status` names the number.',
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
    description: 'If the disk fills up, the member refuses writes and no removal can start.',
    meaning:
      'According to the member, its disk has little room left. Deleted keys take up space until gcGraceSeconds have passed.',
    steps: [
      'Raise spec.storage.size, if the storage class allows it; spec.storage.autoGrow does this automatically, in time.',
      'Or add nodes: each takes its share of new data. What is on this disk stays there.',
    ],
    commands: [GROW_VOLUMES, 'kubectl scale mkv/<cluster> -n <namespace> --replicas=<nodes>'],
  },
  {
    name: 'MarekvsDiskFull',
    severity: 'critical',
    expr: `${M}member_disk_used_ratio > 0.95`,
    for: '2m',
    summary: `${CLUSTER}: the disk of {{ $labels.node }} is {{ $value | humanizePercentage }} full`,
    description: 'The member refuses writes now or very soon: clients get errors.',
    meaning:
      'The member refuses every write from clients. It still takes what other members send, until no space is left.',
    steps: ['Grow the volume claim.', 'Until then, delete keys through other members: this one refuses that, too.'],
    commands: [GROW_VOLUMES],
  },
];
