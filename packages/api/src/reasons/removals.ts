// The reasons of an operation, which is nearly always the removal of one node.

import { NOTHING, normal, warning } from './reason-row.ts';

export const REMOVALS = {
  OperationInProgress: normal('Another operation of this cluster is under way.', 'Wait, or cancel that one.', {
    saysLittle: 'always',
  }),
  WaitingForTurn: normal('This waits until the previous operation has finished.', NOTHING, {
    isOfStart: true,
    goesBefore: 'others',
  }),
  WaitingForProof: normal(
    'The proof that all data is elsewhere is being gathered.',
    'Wait; the message says what is missing.',
    { progressOf: 'proof' },
  ),
  ProofStale: normal(
    'The proof is older than 30 s, or something it is based on has changed.',
    'Nothing to do: it is made again.',
  ),
  MemberSealing: normal(
    'The door of the member that goes is being closed: it is restarted on its volume so that no client reaches it.',
    'Wait; the message says what is missing. If it does not come up, the removal is taken back.',
    { progressOf: 'removal', podEnd: 'restartPodRolled' },
  ),
  ReplicationFactorOne: warning(
    'With replicationFactor 1 a removal always loses data.',
    'Raise spec.replicationFactor, which reaches the members automatically, or force the removal of one node by name.',
    { cause: 'setting', goesBefore: 'restarts' },
  ),
  DeadlineExceeded: warning(
    'A removal was not proven in time, so it was taken back: the node stays.',
    'Look at what it waited for; the removal is retried later, or after the next change of the spec.',
    { kind: 'waiting', cause: 'undone', ends: 'undone' },
  ),
  Forced: warning(
    'A node is removed without proof because a person asked for it by name.',
    'Check the data afterwards.',
    { kind: 'note' },
  ),
  ForceIgnored: warning(
    'The force-remove annotation names another UID, so it is ignored.',
    'Write `<uid of this node>/<reason>` if you mean this node.',
    { kind: 'note', weight: 'informational' },
  ),
  AnnotationIgnored: warning(
    'An annotation has a value that has no meaning.',
    'Write `true` for marekvs.io/remove-first and `<uid of the node>/<reason>` for marekvs.io/force-remove.',
    { kind: 'note', weight: 'informational' },
  ),
  RecordsMissing: normal(
    'Records of a member have not been found on all their other homes yet.',
    'Wait; copies on their way arrive within seconds, but a large cluster takes minutes after a change.',
    { cause: 'contents', progressOf: 'proof' },
  ),
  ReplicationStuck: warning(
    'Records have been missing on a home for ten minutes, and nothing has arrived since.',
    'Look at the mesh between the members named. A value above 8 MiB is never replicated by the server: delete or split it.',
    { cause: 'contents' },
  ),
  RegistersDiverge: warning(
    'The member to be removed has HyperLogLog registers of a higher rank than every other home, which the server never reconciles.',
    'Merge each key through a copy on every member, or accept that its count may be lower afterwards; `kubectl mkv verify --show-keys` shows the keys.',
    { cause: 'contents' },
  ),
  ContentsUnreadable: warning(
    'The contents of a member cannot be read over its mesh port, so nothing can be compared.',
    'Let the operator reach TCP 7373 of the member named, and check that its image is a supported marekvs server.',
    { cause: 'contents' },
  ),
  MeshIncomplete: warning(
    'A member has fewer mesh connections than there are other members.',
    'Look at TCP 7373 between the members; incompatible versions look like this, too.',
    { cause: 'member' },
  ),
  MixedReplicationFactor: warning(
    'Members run with different replication factors, so they place copies differently: a new factor is reaching them one after the other.',
    'Wait for the update; where it has stopped or is paused, RollingOut says why.',
    { cause: 'setting', goesBefore: 'restarts' },
  ),
  FollowsUpstream: warning(
    'Every member follows the same upstream Redis by itself, so lists and counters come out several times; a member that goes takes its feed along.',
    'Take MAREKVS_REPLICAOF out of spec.extraEnv; the members are then restarted one at a time.',
    { cause: 'setting', weight: 'harmless' },
  ),
  DiskTooSmall: warning(
    'The disks of the survivors cannot hold what the node holds.',
    'Grow the volumes, delete data, or keep the node.',
    { cause: 'setting' },
  ),
  WaitingForReplacement: normal(
    'A new node has to join before this one may go.',
    'Wait: the message says how many have joined, and what comes next.',
    { goesBefore: 'others' },
  ),
  MemberLeaving: normal('The member hands its clients over before it goes.', NOTHING, {
    isOnTheWay: true,
    progressOf: 'removal',
    isToldElsewhere: true,
  }),
  MemberDead: warning(
    'The member will never answer again, so only the others can prove that all copies are there.',
    'Check the data afterwards; what only the dead member had is lost, or is still on its volume.',
    { kind: 'note' },
  ),
  RolledBack: warning(
    'A removal was undone: the node came back on its kept volume.',
    'Look at the survivor named in the message; the removal is retried later, or after the next change of the spec.',
    { kind: 'waiting', cause: 'undone', ends: 'undone' },
  ),
  RetryDelayed: normal(
    'The last removal was undone, so the next one waits.',
    'Wait ten minutes, or change spec.nodes to start at once.',
    { goesBefore: 'restarts' },
  ),
} as const;
