// explain in the situations of a rolling update, from what the real operator writes: both controllers over an API
// server in memory, simulated members, virtual time. What a person must be told first: the rule, the member, since
// when, and the command.

import { ANNOTATIONS } from '@marekvs/api';
import { MemberWorld } from '@marekvs/reliability';
import { START_WALL_MS } from '@marekvs/simulator';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import type { Rule } from '../src/explain/catalogue/rules.ts';
import { EXIT } from '../src/index.ts';
import { leaseAnswer, runFake } from './support/fake-cli.ts';

interface Said {
  readonly kind: 'blocked' | 'waiting' | 'note';
  readonly rule: Rule;
  readonly member?: string;
  readonly since?: string;
  readonly message: string;
  readonly unblock: string;
  readonly commands: readonly string[];
}

interface Situation {
  readonly title: string;
  /** Brings a healthy cluster of three into the situation. */
  readonly happen: (world: MemberWorld) => Promise<void>;
  readonly spec?: Parameters<MemberWorld['formed']>[1];
  readonly first: Pick<Said, 'kind' | 'rule'> & { readonly member?: string };
  readonly message: RegExp;
  readonly action: RegExp;
  /** What the finding of the update says, where another one comes first. */
  readonly update?: { readonly message: RegExp; readonly unblock: RegExp };
  /** Other rules that may be found, too. */
  readonly also?: readonly Rule[];
}

const CLUSTERS = 'marekvsclusters.marekvs.io';
const NEXT = { image: 'marekvs:next' };
const LIMIT_MS = 240_000;
const annotate = (world: MemberWorld, key: string, value: string): void =>
  world.annotate(CLUSTERS, 'demo', { [key]: value });
const isAside = (id: number) => (world: MemberWorld) => () => world.node(id)?.spec.intent === 'Leaving';
const says = (reason: string) => (world: MemberWorld) => () => world.condition('RollingOut') === reason;

async function begun(world: MemberWorld, spec: Readonly<Record<string, unknown>> = NEXT): Promise<void> {
  world.edit(spec);
  await world.until(isAside(2)(world), 60_000, 'demo-2 was told to leave');
}
async function stopped(world: MemberWorld, spec: Readonly<Record<string, unknown>>): Promise<void> {
  world.edit(spec);
  await world.until(() => world.cluster()?.status?.update?.stopped !== undefined, LIMIT_MS, 'it stops');
  await world.advance(1_000);
}
async function goneBack(world: MemberWorld): Promise<void> {
  await world.until(() => world.cluster()?.status?.operation === undefined, LIMIT_MS, 'it is back');
  await world.advance(30_000);
}
async function restarted(world: MemberWorld): Promise<void> {
  await begun(world);
  const before = world.pod(2)?.metadata.uid;
  await world.until(() => (world.pod(2)?.metadata.uid ?? before) !== before, 60_000, 'its Pod was made again');
}

const UNDER_WAY = { kind: 'waiting', rule: 'RollingOut', member: 'demo-2' } as const;
const STOPPED = { kind: 'blocked', rule: 'RolloutStopped', member: 'demo-2' } as const;
const LOOK = /^kubectl mkv rollout status demo -n default$/;
const UNDO = /^kubectl mkv rollout undo demo -n default$/;

const SITUATIONS: readonly Situation[] = [
  {
    title: 'the first member is taken out of the clients’ way',
    happen: (world) => begun(world),
    first: UNDER_WAY,
    message: /^0 of 3 members have revision [0-9a-f]{16}; demo-2: /,
    action: LOOK,
  },
  {
    title: 'its Pod is being made again',
    async happen(world) {
      await begun(world);
      await world.until(() => world.pod(2) === undefined, 60_000, 'its Pod is gone');
    },
    first: UNDER_WAY,
    message: /demo-2: /,
    action: LOOK,
  },
  {
    title: 'it joins the others again',
    async happen(world) {
      await restarted(world);
      await world.advance(1_500);
    },
    first: UNDER_WAY,
    message: /demo-2: /,
    action: LOOK,
  },
  {
    title: 'it serves, and gets what it has missed',
    async happen(world) {
      await restarted(world);
      await world.until(() => world.node(2)?.spec.serving === true, 60_000, 'it serves');
    },
    first: UNDER_WAY,
    message: /demo-2: /,
    action: LOOK,
  },
  {
    title: 'it is the next one’s turn',
    async happen(world) {
      world.edit(NEXT);
      await world.until(isAside(1)(world), 120_000, 'demo-1 was told to leave');
    },
    first: { ...UNDER_WAY, member: 'demo-1' },
    message: /^1 of 3 members have revision/,
    action: LOOK,
  },
  {
    title: 'members of eight other clusters are restarted first',
    async happen(world) {
      await world.advance(60_000);
      for (let n = 0; n < 8; n += 1) world.operator.turns.isInLine(`other/c${n}`, { turn: 'under way' });
      world.edit(NEXT);
      await world.until(says('RolloutInLine')(world), 30_000, 'it is said');
    },
    first: { kind: 'waiting', rule: 'RolloutInLine' },
    message: /^0 of 3 members have revision [0-9a-f]{16}; demo-2 waits: .* others were first$/,
    action: LOOK,
  },
  {
    title: 'records of it do not arrive on their other homes',
    async happen(world) {
      world.setKnobs(2, { pushLossRate: 1 });
      for (const id of world.nodeIds()) world.setKnobs(id, { repairDropRate: 1 });
      world.startWriters({ clients: 2, writesPerSecond: 30, keys: 100 });
      await world.advance(5_000);
      world.stopWriters();
      world.edit(NEXT);
      await world.until(() => world.cluster()?.status?.operation?.blocked !== undefined, LIMIT_MS, 'it is said');
    },
    first: { kind: 'waiting', rule: 'RecordsMissing', member: 'demo-2' },
    message: /missing on demo-/,
    action: /^kubectl mkv (rollout status|verify|explain) demo/,
    also: ['RollingOut'],
  },
  {
    title: 'the image cannot be pulled, before it is called a stop',
    async happen(world) {
      world.edit({ image: 'marekvs:missing' });
      const waits = () => JSON.stringify(world.pod(2)?.status ?? {}).includes('ErrImagePull');
      await world.until(waits, 60_000, 'the first try has failed');
      await world.advance(500);
    },
    first: { kind: 'blocked', rule: 'ImagePullFailed', member: 'demo-2' },
    message: /marekvs:missing/,
    action: /describe pod demo-2/,
    also: ['RollingOut'],
  },
  {
    title: 'it has stopped because the image cannot be pulled, and goes back',
    happen: (world) => stopped(world, { image: 'marekvs:missing' }),
    first: STOPPED,
    message: /has stopped at demo-2: .*Back-off pulling image "marekvs:missing"/,
    action: UNDO,
    // Its Pod still exists and shows it.
    also: ['ImagePullFailed', 'RollingOut'],
  },
  {
    title: 'it has gone back, and stays stopped',
    async happen(world) {
      await stopped(world, { image: 'marekvs:missing' });
      await goneBack(world);
    },
    first: STOPPED,
    message: /has stopped at demo-2: .*marekvs:missing/,
    action: UNDO,
  },
  {
    title: 'it has stopped because the member crashes again and again',
    async happen(world) {
      await stopped(world, { image: 'marekvs:crashing' });
      await goneBack(world);
    },
    first: STOPPED,
    message: /has stopped at demo-2: .*end/,
    action: /^kubectl mkv rollout retry demo -n default$/,
  },
  {
    title: 'it has stopped because two versions do not understand each other',
    async happen(world) {
      await stopped(world, { image: 'marekvs:other-mesh' });
      await goneBack(world);
    },
    first: STOPPED,
    message: /has stopped at demo-2: .*mesh connections/,
    action: UNDO,
  },
  {
    title: 'it has stopped because no host can take the Pod',
    happen: (world) => stopped(world, { nodeSelector: { disk: 'none' } }),
    first: STOPPED,
    message: /has stopped at demo-2: .*no host/,
    action: UNDO,
    also: ['PodUnschedulable', 'RollingOut'],
  },
  {
    title: 'it has stopped because that is no name of an image',
    async happen(world) {
      await stopped(world, { image: 'not an image' });
      await goneBack(world);
    },
    first: STOPPED,
    message: /not an image/,
    action: UNDO,
  },
  {
    title: 'it has stopped, and nobody wants it to go back',
    spec: { update: { rollbackOnFailure: false } },
    async happen(world) {
      await stopped(world, { image: 'marekvs:missing' });
      await goneBack(world);
    },
    first: STOPPED,
    message: /has stopped at demo-2/,
    action: UNDO,
    also: ['ImagePullFailed'],
  },
  {
    title: 'another try of what has stopped is under way',
    async happen(world) {
      await stopped(world, { image: 'marekvs:crashing' });
      await goneBack(world);
      annotate(world, ANNOTATIONS.rolloutRetry, 'once more');
      await world.until(isAside(2)(world), 60_000, 'demo-2 was told to leave again');
    },
    first: UNDER_WAY,
    message: /^0 of 3 members/,
    action: LOOK,
  },
  {
    title: 'its canary waits for an approval',
    spec: { update: { canaryNodes: 1 } },
    async happen(world) {
      world.edit(NEXT);
      await world.until(says('RolloutAwaitsApproval')(world), LIMIT_MS, 'it waits');
    },
    first: { kind: 'blocked', rule: 'RolloutAwaitsApproval' },
    message: /^1 of 3 members have revision [0-9a-f]{16}; the others wait until it is approved$/,
    action: /^kubectl mkv rollout approve demo -n default$/,
  },
  {
    title: 'another revision is approved than the one that waits',
    spec: { update: { canaryNodes: 1 } },
    async happen(world) {
      annotate(world, ANNOTATIONS.rolloutApproved, 'an-older-one');
      world.edit(NEXT);
      await world.until(says('RolloutAwaitsApproval')(world), LIMIT_MS, 'it waits');
    },
    first: { kind: 'blocked', rule: 'RolloutAwaitsApproval' },
    message: /; approved is an-older-one, which is another one$/,
    action: /^kubectl mkv rollout approve demo -n default$/,
  },
  {
    title: 'a person has paused it before it began',
    async happen(world) {
      await world.advance(60_000);
      annotate(world, ANNOTATIONS.rolloutPaused, 'true');
      world.edit(NEXT);
      await world.until(says('RolloutPaused')(world), 60_000, 'it is paused');
    },
    first: { kind: 'blocked', rule: 'RolloutPaused' },
    message: /keep the older template: the update is paused$/,
    action: /^kubectl mkv rollout resume demo -n default$/,
  },
  {
    title: 'Pods are to be deleted by hand',
    spec: { update: { type: 'OnDelete' } },
    async happen(world) {
      await world.advance(60_000);
      world.edit(NEXT);
      await world.until(says('RolloutOnDelete')(world), 60_000, 'it rests');
    },
    first: { kind: 'note', rule: 'RolloutOnDelete' },
    message: /^demo-2, demo-1, demo-0 take up revision/,
    action: /^kubectl delete pod /,
  },
  {
    title: 'a member that is away keeps it from beginning',
    async happen(world) {
      world.freeze(0);
      await world.until(() => world.condition('Ready') !== 'True', 120_000, 'the silence is noticed');
      world.edit(NEXT);
      await world.until(says('True')(world), 60_000, 'it is to begin');
      await world.advance(20_000);
    },
    first: { kind: 'blocked', rule: 'MemberSilent', member: 'demo-0' },
    message: /does not answer/,
    action: /^kubectl logs demo-0 /,
    also: ['RollingOut'],
  },
  {
    title: 'a member falls silent in the middle of another one’s turn',
    async happen(world) {
      await begun(world);
      world.freeze(0);
      await world.until(() => world.cluster()?.status?.operation?.blocked !== undefined, 120_000, 'it is waited for');
    },
    first: { kind: 'blocked', rule: 'MemberSilent', member: 'demo-0' },
    message: /demo-0/,
    action: /^kubectl logs demo-0 /,
    also: ['RollingOut'],
  },
  {
    title: 'the whole cluster is paused in the middle of a turn',
    async happen(world) {
      await begun(world);
      world.edit({ paused: true });
      await world.until(() => world.condition('Paused') === 'True', 60_000, 'the pause is said');
    },
    first: { kind: 'blocked', rule: 'Paused' },
    message: /paused/,
    action: /^kubectl mkv resume demo -n default$/,
    also: ['RollingOut'],
  },
  {
    title: 'a new member that it waits for has no host',
    async happen(world) {
      world.edit({ nodes: 4, nodeSelector: { disk: 'none' } });
      await world.until(() => world.condition('Stalled') === 'True', LIMIT_MS, 'it is stalled');
      await world.advance(5_000);
    },
    first: { kind: 'blocked', rule: 'PodUnschedulable', member: 'demo-3' },
    message: /has no host/,
    action: /^kubectl describe pod demo-3 -n default$/,
    update: { message: /restarting demo-2 waits: demo-3 joins first$/, unblock: /^Resolve what is above/ },
    also: ['RollingOut', 'NotCompared'],
  },
  {
    title: 'the cluster hibernates',
    async happen(world) {
      world.edit({ hibernated: true });
      await world.until(() => world.condition('Hibernated') === 'True', LIMIT_MS, 'it hibernates');
      world.edit(NEXT);
      await world.until(says('True')(world), 60_000, 'the template is noticed');
      await world.advance(5_000);
    },
    first: { kind: 'blocked', rule: 'Hibernated' },
    message: /^all members are stopped/,
    action: /^kubectl mkv wake demo -n default$/,
    update: { message: /; the others are restarted once all members are awake$/, unblock: /^Resolve what is above/ },
    also: ['RollingOut'],
  },
  {
    title: 'the image is set back in the middle of a turn',
    async happen(world) {
      await restarted(world);
      world.edit({ image: 'marekvs:test' });
      await world.until(() => world.node(2)?.spec.template.image === 'marekvs:test', 60_000, 'it is stamped back');
      await world.advance(5_000);
    },
    first: UNDER_WAY,
    message: /demo-2: /,
    action: LOOK,
  },
];

async function explained(world: MemberWorld): Promise<{ readonly code: number; readonly findings: readonly Said[] }> {
  const nowMs = START_WALL_MS + world.nowMs;
  const { code, out, err } = await runFake(['explain', 'demo', '-o', 'json'], {
    server: world.kube.server,
    nowMs,
    extra: ({ path }) => leaseAnswer(path, nowMs),
  });
  expect(err).to.equal('');
  return { code, findings: JSON.parse(out).findings };
}

/** What is wrong with the findings; undefined when they are right. @param begunMs when the situation began */
function mistake(
  said: readonly Said[],
  { first: wanted, message, action, update, also = [] }: Situation,
  begunMs: number,
): string | undefined {
  const [first, ...rest] = said;
  if (first === undefined) return 'nothing is said';
  const { kind, rule, member } = first;
  const told = `${kind} ${rule} ${member ?? 'whole cluster'}`;
  if (told !== `${wanted.kind} ${wanted.rule} ${wanted.member ?? 'whole cluster'}`)
    return `says ${told} first: ${first.message}`;
  if (!message.test(first.message)) return `says "${first.message}"`;
  if (!first.commands.some((command) => action.test(command))) return `gives ${first.commands.join('; ')}`;
  const rolling = rest.find((one) => one.rule === 'RollingOut');
  if (update !== undefined && !(rolling !== undefined && isAs(rolling, update)))
    return `says of the update "${rolling?.message}", to do: "${rolling?.unblock}"`;
  // Times are written in whole seconds.
  const sinceMs = Date.parse(first.since ?? '');
  if (!(sinceMs >= begunMs - 1_000)) return `since ${first.since}, and it began at ${new Date(begunMs).toISOString()}`;
  const odd = rest.filter((one) => !also.includes(one.rule)).map((one) => `${one.rule} ${one.member ?? ''}`);
  return odd.length === 0 ? undefined : `says ${odd.join(', ')} as well`;
}

function isAs(said: Said, { message, unblock }: NonNullable<Situation['update']>): boolean {
  return message.test(said.message) && unblock.test(said.unblock);
}

describe('explain, during a rolling update,', function () {
  this.timeout(120_000);
  let right = 0;

  for (const [index, situation] of SITUATIONS.entries()) {
    it(`names rule, member, time and command when ${situation.title}`, async () => {
      const world = new MemberWorld({ seed: 100 + index });
      await world.formed(3, situation.spec);
      const begunMs = START_WALL_MS + world.nowMs;
      await situation.happen(world);
      const { code, findings } = await explained(world);
      expect(mistake(findings, situation, begunMs)).to.equal(undefined);
      expect(code).to.equal(situation.first.kind === 'blocked' ? EXIT.blocked : EXIT.fine);
      right += 1;
    });
  }

  it('reports nothing after somebody altered a template and the operator restored it', async () => {
    const world = new MemberWorld({ seed: 99 });
    await world.formed(3);
    const hash = world.cluster()?.status?.update?.revision;
    const ref = { namespace: 'default', name: `demo-${hash}` };
    const { server } = world.kube;
    const stored = JSON.stringify(server.get('controllerrevisions.apps', ref));
    server.update('controllerrevisions.apps', JSON.parse(stored.replace('marekvs:test', 'marekvs:altered')));
    await world.advance(10_000);
    expect(await explained(world)).to.deep.equal({ code: EXIT.fine, findings: [] });
    expect(JSON.stringify(server.get('controllerrevisions.apps', ref)))
      .to.include('marekvs:test')
      .and.not.include('altered');
    const { out } = await runFake(['rollout', 'history', 'demo'], { server, nowMs: START_WALL_MS + world.nowMs });
    expect(out).to.include('wanted').and.not.include('altered');
  });

  after(() => {
    process.stdout.write(`      explain: right in ${right} of ${SITUATIONS.length} situations of a rolling update\n`);
  });
});
