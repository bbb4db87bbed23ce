// Obstacles to a removal, one at a time, each as it happens to real clusters. in-the-way.ts decides whether a removal
// has to wait before it begins or in the middle.

import { ANNOTATIONS, type MarekvsClusterSpec } from '@marekvs/api';
import { CLUSTERS, type MemberWorld, NODES } from '../../world/member-world.ts';

export interface Obstacle {
  readonly name: string;
  /** Half a sentence: "while …". */
  readonly story: string;
  readonly spec?: Partial<MarekvsClusterSpec>;
  /** Virtual milliseconds until the obstacle can be known; default 15 s. */
  readonly knownMs?: number;
  put(world: MemberWorld): void;
  /** Ends the obstacle, as when somebody repairs it. */
  take(world: MemberWorld): void;
}

/** The member with the obstacle; the one to be removed is the last, 3. */
const VICTIM = 1;
const TARGET = 3;
/** At rest a member is asked every 20 to 40 seconds, and its last metrics stay valid for twice as long. */
const SILENT_MS = 90_000;
const GIB = 1024 ** 3;
const FULL_DISK = { diskTotalBytes: 10 * GIB, diskAvailableBytes: GIB / 2 };

/** Sets knobs of one member, and resets them. */
function knob(name: string, story: string, id: number, knobs: Readonly<Record<string, unknown>>): Obstacle {
  const back = Object.fromEntries(Object.keys(knobs).map((key) => [key, null]));
  return {
    name,
    story,
    put: (world) => world.setKnobs(id, knobs),
    take: (world) => world.setKnobs(id, back),
  };
}

/** A variable of members, which is removed again. It is reported without a restart. */
function variable(name: string, story: string, key: string, value: string): Obstacle {
  return {
    name,
    story,
    spec: { extraEnv: { [key]: value } },
    put: () => {},
    take: (world) => world.edit({ extraEnv: { [key]: null } }),
  };
}

const HIDDEN = knob('hidden', 'a member does not see one of the others', VICTIM, { hiddenFromView: [2] });

/** Checked before a removal, and again in its middle. */
const ANY_TIME: readonly Obstacle[] = [
  { ...knob('silent', 'the figures of a member cannot be had', VICTIM, { metrics: 'hang' }), knownMs: SILENT_MS },
  { ...knob('garbage', 'a member gives figures that are none', VICTIM, { metrics: 'garbage' }), knownMs: SILENT_MS },
  knob('mesh', 'no peer gets through to a member', VICTIM, {
    drops: [
      { peer: '*', lane: 'tcp', direction: 'in' },
      { peer: '*', lane: 'tcp', direction: 'out' },
    ],
  }),
  knob('disk-full', 'a member has stopped writes because its disk is full', VICTIM, FULL_DISK),
  knob('target-full', 'the member that is to go has stopped writes because its disk is full', TARGET, FULL_DISK),
  HIDDEN,
  knob('rejoin', 'a member still takes up its old volume', VICTIM, { shownMetrics: { rejoin_active: 1 } }),
];

/** Irrelevant once a removal has begun. */
const ONLY_BEFORE: readonly Obstacle[] = [
  knob('not-ready', 'a member that serves says that it is not ready', VICTIM, { reportsPhase: 'Joining' }),
  knob('disk-small', 'the disk of a member holds no more than it has', VICTIM, {
    diskTotalBytes: 20_000,
    diskAvailableBytes: 2_500,
  }),
  variable('follows', 'members follow a Redis of somebody else', 'MAREKVS_REPLICAOF', 'redis.example:6379'),
  {
    name: 'two-factors',
    story: 'the member that is to go keeps another number of copies than the rest',
    knownMs: 90_000,
    put: (world) => restartWithFactor(world, 3),
    take: (world) => restartWithFactor(world, 2),
  },
];

/** Relevant only once a removal has begun. */
const ONLY_AMID: readonly Obstacle[] = [
  knob('unknown-figure', 'a member of another version lacks a figure', VICTIM, { hiddenMetrics: ['mesh_peers'] }),
  knob('peers', 'a member has fewer connections than peers', VICTIM, { shownMetrics: { mesh_peers: 1 } }),
  knob('placed', 'a member homes other partitions than it should', VICTIM, {
    shownMetrics: { cluster_owned_partitions: 17 },
  }),
  knob('counted', 'a member counts one member more than there is', VICTIM, { shownMetrics: { cluster_members: 5 } }),
];

/** Only for the end of a removal: in the middle some members have already been read, which counts. */
const ONLY_AFTER: readonly Obstacle[] = [
  knob('contents-closed', 'a member closes its mesh port to whoever compares', VICTIM, { contents: 'close' }),
  knob('contents-hang', 'a member does not answer what it holds', VICTIM, { contents: 'hang' }),
  knob('contents-garbage', 'a member answers nonsense for what it holds', VICTIM, { contents: 'garbage' }),
];

export const OBSTACLES: readonly Obstacle[] = [...ANY_TIME, ...ONLY_BEFORE];
export const LATER_OBSTACLES: readonly Obstacle[] = [...ANY_TIME, ...ONLY_AMID];
/** At the end there is no target any more, so obstacles that concern only the target are left out. */
export const LAST_OBSTACLES: readonly Obstacle[] = [...LATER_OBSTACLES, ...ONLY_AFTER].filter(
  ({ name, spec }) => spec === undefined && !['target-full', 'counted', 'placed'].includes(name),
);

/** As in the middle of a change of replicationFactor, which every member takes up with its next start; the update is
 *  paused, so that it stays so. */
function restartWithFactor(world: MemberWorld, replicationFactor: number): void {
  world.annotate(CLUSTERS, 'demo', { [ANNOTATIONS.rolloutPaused]: 'true' });
  restartWith(world, TARGET, { replicationFactor });
}

/** No version of the operator does this to a member that serves: a person did. */
function restartWith(world: MemberWorld, id: number, template: Readonly<Record<string, unknown>>): void {
  const name = `demo-${id}`;
  world.kube.server.patch(NODES, { namespace: 'default', name }, { spec: { template } });
  world.removeObject('pods', name);
}
