// Stories for the alerts: series over time, in the notation of Prometheus' own tests, and whether the alert fires in
// the end. Every alert has stories on both sides of its limit. test-e2e/alerts.test.ts runs them with promql of the
// testbed.

const M = 'marekvs_operator_';
const STEP = 30;

export interface AlertCase {
  readonly alert: string;
  /** A fact about the alert, which could be false. */
  readonly story: string;
  readonly intervalSeconds: number;
  readonly atSeconds: number;
  readonly series: readonly string[];
  /** The summary of the alert; undefined when it must not fire. */
  readonly fires: string | undefined;
}

function alert(name: string) {
  const at = (story: string, atSeconds: number, series: readonly string[], fires?: string): AlertCase => ({
    alert: name,
    story,
    intervalSeconds: STEP,
    atSeconds,
    series,
    fires,
  });
  return {
    fires: (story: string, atSeconds: number, series: readonly string[], summary: string) =>
      at(`fires ${story}`, atSeconds, series, summary),
    isQuiet: (story: string, atSeconds: number, series: readonly string[]) =>
      at(`is quiet ${story}`, atSeconds, series),
  };
}

/** A cluster that is stuck from the first second on. */
function stuck(problem: string, reason: string): string {
  return `${M}cluster_stuck_since_timestamp_seconds{namespace="team",cluster="a",problem="${problem}",reason="${reason}"} 1x100`;
}

const updateSince = (values: string) =>
  `${M}cluster_update_since_timestamp_seconds{namespace="team",cluster="a"} ${values}`;
const updateMembers = (state: 'updated' | 'total', values: string) =>
  `${M}cluster_update_members{namespace="team",cluster="a",state="${state}"} ${values}`;

const slots = (pod: string, values: string) => `${M}ownership_slots{namespace="marekvs-system",pod="${pod}"} ${values}`;
const pressure = (of: string, values: string) =>
  `${M}shard_pressure{namespace="marekvs-system",pod="a",of="${of}"} ${values}`;
const refusedShare = (values: string) => `${M}ownership_refused{namespace="marekvs-system",pod="a"} ${values}`;
const namespaces = (state: string, values: string) =>
  `${M}namespaces{namespace="marekvs-system",pod="a",state="${state}"} ${values}`;
const allSlots = (pod: string, values: string) =>
  `${M}ownership_slots_all{namespace="marekvs-system",pod="${pod}"} ${values}`;
/** Series of two replicas: how many slots they have, and how many there are. */
const bothSlots = (a: string, b: string, all: string) => [
  slots('a', a),
  slots('b', b),
  allSlots('a', all),
  allSlots('b', all),
];
const passes = (result: string, values: string) =>
  `${M}reconcile_total{namespace="marekvs-system",controller="marekvscluster",result="${result}"} ${values}`;
const requests = (verb: string, code: string, values: string) =>
  `${M}api_requests_total{namespace="marekvs-system",verb="${verb}",resource="pods",code="${code}"} ${values}`;
const refusals = (values: string) => `${M}api_refusals_total{resource="pods",reason="QuotaExceeded"} ${values}`;
const disk = (values: string) => `${M}member_disk_used_ratio{namespace="team",cluster="a",node="a-0"} ${values}`;
const inOneZone = (share: string, zones: string) => [
  `${M}cluster_one_zone_ratio{namespace="team",cluster="a",pod="x"} ${share}`,
  `${M}zones{pod="x"} ${zones}`,
  `${M}zones{pod="y"} 0x200`,
];
const removals = (outcome: string, reason: string, values: string) =>
  `${M}removals_total{basis="Proof",outcome="${outcome}",reason="${reason}"} ${values}`;
const ofController = (name: string, values: string) =>
  `${M}${name}{namespace="marekvs-system",controller="marekvscluster"} ${values}`;
const lag = (values: string) => `${M}informer_lag_seconds{namespace="marekvs-system",kind="pods"} ${values}`;
const renewals = (result: string, values: string) =>
  `${M}ownership_renewals_total{namespace="marekvs-system",result="${result}"} ${values}`;

const dataAtRisk = alert('MarekvsDataAtRisk');
const stalled = alert('MarekvsClusterStalled');
const drift = alert('MarekvsDriftLoop');
const notReady = alert('MarekvsClusterNotReady');
const updateStopped = alert('MarekvsUpdateStopped');
const updateSlow = alert('MarekvsUpdateSlow');
const blocked = alert('MarekvsRemovalBlocked');
const limited = alert('MarekvsSizeLimited');
const failed = alert('MarekvsRemovalFailed');
const vanished = alert('MarekvsNodeVanished');
const silent = alert('MarekvsMemberSilent');
const nearlyFull = alert('MarekvsDiskNearlyFull');
const full = alert('MarekvsDiskFull');
const oneZone = alert('MarekvsOneZoneHasMost');

const CLUSTERS: readonly AlertCase[] = [
  dataAtRisk.fires('at once', 0, [stuck('DataAtRisk', 'VolumeLost')], 'Data of team/a is lost or at risk: VolumeLost'),
  dataAtRisk.isQuiet('for a cluster that only waits', 600, [stuck('Stalled', 'PodUnschedulable')]),

  stalled.fires(
    'after six minutes',
    390,
    [stuck('Stalled', 'PodUnschedulable')],
    'team/a waits for a person: PodUnschedulable',
  ),
  stalled.isQuiet('half a minute before', 360, [stuck('Stalled', 'PodUnschedulable')]),
  stalled.isQuiet('for a drift loop, which has an alert of its own', 600, [stuck('Stalled', 'DriftLoop')]),

  drift.fires(
    'after six minutes',
    390,
    [stuck('Stalled', 'DriftLoop')],
    'Another program keeps changing objects of team/a back',
  ),
  drift.isQuiet('for any other reason', 600, [stuck('Stalled', 'QuotaExceeded')]),

  notReady.fires(
    'after a quarter of an hour',
    990,
    [stuck('NotReady', 'MemberJoining')],
    'team/a is not ready: MemberJoining',
  ),
  notReady.isQuiet('half a minute before', 960, [stuck('NotReady', 'MemberJoining')]),
  notReady.isQuiet('when somebody was called already', 1200, [
    stuck('NotReady', 'PodUnschedulable'),
    stuck('Stalled', 'PodUnschedulable'),
  ]),

  updateStopped.fires(
    'after a minute, by the cause',
    90,
    [stuck('UpdateStopped', 'ImagePullFailed'), stuck('Stalled', 'RolloutStopped')],
    'The rolling update of team/a has stopped: ImagePullFailed',
  ),
  updateStopped.isQuiet('for a turn that waits', 600, [stuck('UpdateBlocked', 'RecordsMissing')]),
  stalled.isQuiet('when it is an update that has stopped', 900, [stuck('Stalled', 'RolloutStopped')]),
  updateSlow.fires(
    'after ten minutes for each of three members',
    1890,
    [updateSince('1x100'), updateMembers('updated', '1x100'), updateMembers('total', '3x100')],
    'The rolling update of team/a has taken 31m 29s',
  ),
  updateSlow.isQuiet('half a minute before', 1830, [updateSince('1x100'), updateMembers('total', '3x100')]),
  updateSlow.isQuiet('when it rests', 2700, [updateMembers('updated', '1x100'), updateMembers('total', '3x100')]),

  blocked.fires(
    'after half an hour',
    1890,
    [stuck('RemovalBlocked', 'MemberSilent')],
    'A removal in team/a has been waiting for 31m 29s: MemberSilent',
  ),
  blocked.isQuiet('half a minute before', 1860, [stuck('RemovalBlocked', 'MemberSilent')]),

  limited.fires(
    'after ten minutes',
    630,
    [stuck('SizeLimited', 'AtMaxNodes')],
    'The size of team/a does not follow its load: AtMaxNodes',
  ),
  limited.isQuiet('half a minute before', 570, [stuck('SizeLimited', 'AtMaxNodes')]),

  failed.fires(
    'with the first one that is undone',
    120,
    [removals('Failed', 'RolledBack', '_x3 1x200')],
    'A removal was undone or could not be finished: RolledBack',
  ),
  failed.fires(
    'with one more',
    120,
    [removals('Failed', 'RolledBack', '4x2 5x200')],
    'A removal was undone or could not be finished: RolledBack',
  ),
  failed.isQuiet('an hour later', 3900, [removals('Failed', 'RolledBack', '_x3 1x200')]),
  failed.isQuiet('for one that succeeds or is cancelled', 120, [
    removals('Succeeded', 'RemovalFinished', '1x10'),
    removals('Cancelled', 'CancelledByUser', '1x10'),
  ]),

  vanished.fires(
    'when the counter moves',
    300,
    [`${M}nodes_vanished_total 0x4 1x100`],
    'A MarekvsNode vanished without a finished removal',
  ),
  vanished.isQuiet('while it stands', 600, [`${M}nodes_vanished_total 3x100`]),

  silent.fires(
    'after six minutes',
    390,
    [`${M}member_silent_since_timestamp_seconds{namespace="team",cluster="a",node="a-2"} 0x100`],
    'team/a: a-2 does not answer',
  ),
  silent.isQuiet('half a minute before', 360, [
    `${M}member_silent_since_timestamp_seconds{namespace="team",cluster="a",node="a-2"} 0x100`,
  ]),
  silent.isQuiet('for one that answers again', 390, [
    `${M}member_silent_since_timestamp_seconds{namespace="team",cluster="a",node="a-2"} 0x11 stale`,
  ]),

  oneZone.fires(
    'after an hour above 60 %, while there are members in other zones',
    3_600,
    inOneZone('0.66x200', '3x200'),
    '66% of the keys of team/a are in a single zone',
  ),
  oneZone.isQuiet('half a minute before', 3_570, inOneZone('0.66x200', '3x200')),
  oneZone.isQuiet('at what four and one members leave in one zone', 4_000, inOneZone('0.6x200', '2x200')),
  oneZone.isQuiet('where all members of all clusters are in one zone', 4_000, inOneZone('1x200', '1x200')),

  nearlyFull.fires('above 85 % for ten minutes', 600, [disk('0.86x100')], 'team/a: the disk of a-0 is 86% full'),
  nearlyFull.isQuiet('half a minute before', 570, [disk('0.86x100')]),
  nearlyFull.isQuiet('at 85 %', 1200, [disk('0.85x100')]),

  full.fires('above 95 % for two minutes', 120, [disk('0.96x100')], 'team/a: the disk of a-0 is 96% full'),
  full.isQuiet('half a minute before', 90, [disk('0.96x100')]),
  full.isQuiet('at 95 %', 600, [disk('0.95x100')]),
];

const down = alert('MarekvsOperatorDown');
const noLeader = alert('MarekvsOperatorNoLeader');
const manyLeaders = alert('MarekvsOperatorManyLeaders');
const atItsLimit = alert('MarekvsOperatorAtItsLimit');
const takesNoPart = alert('MarekvsReplicaTakesNoPart');
const withoutRights = alert('MarekvsNamespacesWithoutRights');
const slotsUnowned = alert('MarekvsSlotsUnowned');
const renewalsFail = alert('MarekvsLeaseRenewalsFail');
const passesFail = alert('MarekvsPassesFail');
const errors = alert('MarekvsReconcileErrors');
const refused = alert('MarekvsApiRefusals');
const unreachable = alert('MarekvsApiUnreachable');
const stale = alert('MarekvsCacheStale');
const slow = alert('MarekvsQueueSlow');
const hangs = alert('MarekvsPassHangs');
const blockedLoop = alert('MarekvsEventLoopBlocked');
const idle = alert('MarekvsRequestsToIdleFleet');

const OPERATOR: readonly AlertCase[] = [
  down.fires('after five minutes without a replica', 300, [], 'No marekvs operator can be seen'),
  down.isQuiet('half a minute before', 270, []),
  down.isQuiet('while one of two is there', 900, [
    `${M}build_info{version="1",pod="a"} 1x10 stale`,
    `${M}build_info{version="1",pod="b"} 1x100`,
  ]),

  noLeader.fires(
    'after two minutes: the lease is held by nobody',
    120,
    [slots('a', '0x20'), slots('b', '0x20')],
    'No replica of the operator in marekvs-system leads',
  ),
  noLeader.isQuiet('half a minute before', 90, [slots('a', '0x20'), slots('b', '0x20')]),
  noLeader.isQuiet('when the other takes over', 300, [slots('a', '1x4 stale'), slots('b', '0x5 1x20')]),

  manyLeaders.fires(
    'after two minutes',
    120,
    bothSlots('1x20', '1x20', '1x20'),
    '2 replicas of the operator in marekvs-system claim to lead',
  ),
  manyLeaders.isQuiet('for two scrapes around a hand-over', 300, bothSlots('1x6 0x20', '0x5 1x20', '1x40')),
  manyLeaders.isQuiet('while two share', 300, bothSlots('128x20', '128x20', '256x20')),

  atItsLimit.fires(
    'after a quarter of an hour in which one of the four figures is high',
    900,
    [pressure('memory', '0.2x40'), pressure('loop', '0.75x40')],
    'a of the operator is at 75% of what one process can do',
  ),
  atItsLimit.isQuiet('half a minute before', 870, [pressure('loop', '0.75x40')]),
  atItsLimit.isQuiet('below the limit', 1200, [pressure('loop', '0.7x60')]),

  withoutRights.fires(
    'after a quarter of an hour with a namespace without rights',
    900,
    [namespaces('held', '12x40'), namespaces('refused', '1x40')],
    'The operator in marekvs-system cannot manage some of its namespaces',
  ),
  withoutRights.fires(
    'after a quarter of an hour with a setting that is not in force',
    900,
    [`${M}namespaces_problems{namespace="marekvs-system",pod="a"} 1x40`],
    'The operator in marekvs-system cannot manage some of its namespaces',
  ),
  withoutRights.isQuiet('half a minute before', 870, [namespaces('refused', '1x40')]),
  withoutRights.isQuiet('when all are managed', 1200, [namespaces('held', '12x60'), namespaces('refused', '0x60')]),

  slotsUnowned.fires(
    'after three minutes without one of the two that share',
    180,
    bothSlots('128x20', '0x20', '256x20'),
    'Some clusters have no replica of the operator in marekvs-system',
  ),
  slotsUnowned.isQuiet('half a minute before', 150, bothSlots('128x20', '0x20', '256x20')),
  slotsUnowned.isQuiet('while one leads and the other stands by', 600, bothSlots('1x40', '0x40', '1x40')),

  takesNoPart.fires(
    'after a quarter of an hour beside replicas of another format',
    900,
    [refusedShare('1x40')],
    'a of the operator takes no part, because other replicas share in another format',
  ),
  takesNoPart.isQuiet('half a minute before', 870, [refusedShare('1x40')]),
  takesNoPart.isQuiet('where all share in one', 1200, [refusedShare('0x60')]),

  renewalsFail.fires(
    'when they fail one after the other',
    240,
    [renewals('failure', '0+7x40')],
    'The operator in marekvs-system has trouble renewing its lease',
  ),
  renewalsFail.isQuiet('when they succeed', 600, [renewals('success', '0+7x40')]),
  renewalsFail.isQuiet('after a single one', 600, [renewals('failure', '0x5 1x40')]),

  passesFail.fires('after six minutes', 390, [stuck('PassFailing', 'timeout')], 'Passes over team/a fail (timeout)'),
  passesFail.isQuiet('half a minute before', 360, [stuck('PassFailing', 'timeout')]),

  errors.fires(
    'when a quarter fails for a quarter of an hour',
    930,
    [passes('error', '0+3x100'), passes('success', '0+9x100')],
    '25% of the passes of marekvscluster fail',
  ),
  errors.isQuiet('half a minute before', 900, [passes('error', '0+3x100'), passes('success', '0+9x100')]),
  errors.isQuiet('when a tenth fails', 1800, [passes('error', '0+1x100'), passes('requeue_after', '0+9x100')]),
  errors.isQuiet('when nothing is to be done', 1800, [passes('error', '5x100'), passes('success', '50x100')]),

  refused.fires('when they go on', 1200, [refusals('0+1x100')], 'The API server keeps refusing pods: QuotaExceeded'),
  refused.isQuiet('after three', 1800, [refusals('0x5 1 2 3x100')]),

  unreachable.fires(
    'when answers are missing for minutes',
    510,
    [requests('get', 'error', '0+6x100')],
    'Requests of the operator in marekvs-system to the API server fail',
  ),
  unreachable.fires(
    'when they are 5xx',
    510,
    [requests('get', '503', '0+6x100')],
    'Requests of the operator in marekvs-system to the API server fail',
  ),
  unreachable.isQuiet('when they are negative', 900, [requests('get', '404', '0+60x100')]),

  stale.fires(
    'within five minutes after a watch went dead',
    240,
    [lag('0+30x20')],
    'The operator has not heard of pods for 4m 0s',
  ),
  stale.isQuiet('with a sign of life a minute', 900, [
    lag('0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0 30 60 0'),
  ]),

  slow.fires(
    'within five minutes after the workers stopped',
    210,
    [ofController('queue_oldest_seconds', '0+30x20')],
    'A key has been waiting 3m 30s for its pass in marekvscluster',
  ),
  slow.isQuiet('half a minute before', 180, [ofController('queue_oldest_seconds', '0+30x20')]),

  hangs.fires(
    'within five minutes after a pass began to hang',
    180,
    [ofController('reconcile_oldest_running_seconds', '0+30x20')],
    'A pass of marekvscluster has run for 3m 0s',
  ),
  hangs.isQuiet('half a minute before', 150, [ofController('reconcile_oldest_running_seconds', '0+30x20')]),

  blockedLoop.fires(
    'after more than five seconds, also when it was between two looks',
    120,
    [`${M}event_loop_lag_max_seconds{namespace="marekvs-system"} 0x2 6 0x20`],
    'The operator in marekvs-system was blocked for 6s',
  ),
  blockedLoop.isQuiet('at five seconds', 120, [
    `${M}event_loop_lag_max_seconds{namespace="marekvs-system"} 0x2 5 0x20`,
  ]),
  blockedLoop.isQuiet('some minutes later', 600, [
    `${M}event_loop_lag_max_seconds{namespace="marekvs-system"} 0x2 6 0x20`,
  ]),

  idle.fires(
    'at 24 requests a second for half an hour',
    3600,
    [requests('update', '200', '0+720x200')],
    'The operator in marekvs-system makes 24 requests a second',
  ),
  idle.isQuiet('before half an hour has passed', 1800, [requests('update', '200', '0+720x200')]),
  idle.isQuiet('when these are watches', 3600, [requests('watch', '200', '0+720x200')]),
];

export const ALERT_CASES: readonly AlertCase[] = [...CLUSTERS, ...OPERATOR];
