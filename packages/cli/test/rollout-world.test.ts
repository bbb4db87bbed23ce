// kubectl mkv rollout over what the real operator writes: both controllers, an API server in memory, simulated members,
// virtual time.

import { MemberWorld } from '@marekvs/reliability';
import { START_WALL_MS } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { type FakeOptions, type FakeResult, runFake } from './support/fake-cli.ts';

const rollout = (world: MemberWorld, line: string, more: Partial<FakeOptions> = {}): Promise<FakeResult> =>
  runFake(['rollout', ...line.split(' ')], {
    server: world.kube.server,
    nowMs: START_WALL_MS + world.nowMs,
    meanwhile: (ms) => world.advance(ms),
    ...more,
  });

const imageOf = (world: MemberWorld, id: number): unknown => {
  const spec: { readonly containers?: readonly { readonly image?: string }[] } | undefined = world.pod(id)?.spec;
  return spec?.containers?.[0]?.image;
};
const images = (world: MemberWorld): readonly unknown[] => world.nodeIds().map((id) => imageOf(world, id));
const revisionOf = (world: MemberWorld): string => world.cluster()?.status?.update?.revision ?? '';
const says = (reason: string) => (world: MemberWorld) => () => world.condition('RollingOut') === reason;

async function formedWith(seed: number, spec: Parameters<MemberWorld['edit']>[0] = {}): Promise<MemberWorld> {
  const world = new MemberWorld({ seed });
  await world.formed(3, spec);
  return world;
}

describe('kubectl mkv rollout, over what the real operator writes:', function () {
  this.timeout(120_000);

  it('status says that the spec is in force, and --watch waits until every member has a changed image', async () => {
    const world = await formedWith(1);
    expect((await rollout(world, 'status demo')).out).to.match(/^default\/demo {2}in force {2}\[#{20}\] 3 of 3\n/);
    world.edit({ image: 'marekvs:next' });
    const { code, out, err } = await rollout(world, 'status demo --watch');
    expect([code, err], out).to.deep.equal([EXIT.fine, '']);
    expect(out).to.match(/demo not seen yet\ndemo under way {2}\[-{20}\] 0 of 3, turn of demo-2\n/);
    expect(out).to.match(/demo under way {2}\[#{13}-{7}\] 2 of 3, turn of demo-0\n/);
    expect(out).to.match(
      /\ndefault\/demo {2}in force {2}\[#{20}\] 3 of 3\n[\s\S]*\ndemo-2 +[0-9a-f]{16} +updated +marekvs:next\n/,
    );
    expect(images(world)).to.deep.equal(['marekvs:next', 'marekvs:next', 'marekvs:next']);
  });

  it('restart restarts every member on its volume, one after the other, with the template it has', async () => {
    const world = await formedWith(4);
    const uids = (of: 'pod' | 'claim'): readonly unknown[] => world.nodeIds().map((id) => world[of](id)?.metadata.uid);
    const [pods, claims] = [uids('pod'), uids('claim')];
    expect((await rollout(world, 'restart demo --yes')).code).to.equal(EXIT.fine);
    const { code, out } = await rollout(world, 'status demo --watch');
    expect(code, out).to.equal(EXIT.fine);
    expect(out).to.match(/turn of demo-2\n[\s\S]*turn of demo-1\n[\s\S]*turn of demo-0\n/);
    expect(uids('claim')).to.deep.equal(claims);
    expect(uids('pod').filter((uid) => pods.includes(uid))).to.deep.equal([]);
  });

  it('status --watch ends with 1 when its time is over, and the update goes on', async () => {
    const world = await formedWith(2);
    world.edit({ image: 'marekvs:next' });
    const { code, err } = await rollout(world, 'status demo --watch --timeout 5s');
    expect([code, err]).to.satisfy(
      ([ended, text]: [number, string]) => ended === EXIT.failed && /within 5s/.test(text),
      err,
    );
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.fine);
  });

  it('status --watch ends with 4 when the update stops, names node, cause and next step, and retry tries again', async () => {
    const world = await formedWith(3);
    world.edit({ image: 'marekvs:missing' });
    const { code, out, err } = await rollout(world, 'status demo --watch');
    expect(code, out + err).to.equal(EXIT.blocked);
    expect(err).to.match(
      /demo-2 did not come up with revision [0-9a-f]{16}: .*Next: kubectl mkv rollout undo demo -n default\n$/,
    );
    expect(out).to.include('ImagePullFailed').and.include('next: kubectl mkv rollout retry demo -n default');
    await world.until(() => images(world).every((image) => image !== 'marekvs:missing'), 180_000, 'it is back');
    await world.advance(60_000);
    const at = world.cluster()?.status?.update?.stopped?.at;
    expect((await rollout(world, 'status demo')).out).to.match(/demo-2 +[0-9a-f]{16} +failed, has what it had/);
    const retried = await rollout(world, 'retry demo');
    expect([retried.code, retried.writes]).to.deep.equal([EXIT.fine, ['patch marekvsclusters default/demo']]);
    expect((await rollout(world, 'retry demo')).writes, 'it is asked for already').to.deep.equal([]);
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.blocked);
    expect(world.cluster()?.status?.update?.stopped?.at).to.not.equal(at);
  });

  it('undo shows the difference, changes nothing with --dry-run, and brings every member back', async () => {
    const world = await formedWith(4, {
      extraEnv: { RUST_LOG: 'info', KEPT: '1' },
      podMetadata: { labels: { team: 'a' } },
    });
    const before = revisionOf(world);
    const change = {
      image: 'marekvs:next',
      resources: { cpu: '500m', memory: '2Gi' },
      extraEnv: { KEPT: '1', RUST_LOG: 'debug', ADDED: '2' },
      nodeSelector: { disk: 'fast' },
      podMetadata: { labels: { team: 'b', other: 'c' } },
    };
    world.edit({ ...change, nodeSelector: {} });
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.fine);
    expect(revisionOf(world)).to.not.equal(before);
    const generation = world.cluster()?.metadata.generation;
    const tried = await rollout(world, 'undo demo --dry-run');
    expect(tried.code, tried.err).to.equal(EXIT.fine);
    for (const line of [
      'spec.image: marekvs:next -> ',
      'spec.extraEnv.ADDED: 2 -> not set',
      'spec.extraEnv.RUST_LOG: debug -> info',
      'spec.podMetadata.labels.other: c -> not set',
      'spec.resources.memory: 2Gi -> 1Gi',
    ])
      expect(tried.out).to.include(line);
    expect(tried.out).to.not.include('KEPT');
    expect(world.cluster()?.metadata.generation, 'nothing is stored').to.equal(generation);
    const { code, out } = await rollout(world, 'undo demo --yes');
    expect(code, out).to.equal(EXIT.fine);
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.fine);
    expect(revisionOf(world), 'the very template of before').to.equal(before);
    expect((await rollout(world, `undo demo --to ${before}`)).out).to.equal(
      `demo asks for revision ${before} already\n`,
    );
  });

  it('plan names the members that will be restarted or resized in place, in their order', async () => {
    const world = await formedWith(6);
    const plan = (line = 'plan demo') =>
      runFake(line.split(' '), { server: world.kube.server, nowMs: START_WALL_MS + world.nowMs });
    expect((await plan()).out).to.not.include('members that get');
    await rollout(world, 'pause demo');
    world.edit({ resources: { cpu: '900m', memory: '1Gi' } });
    await world.advance(1_000);
    const resized = (await plan()).out;
    const inPlace = [2, 1, 0]
      .map((id) => `  - demo-${id} gets its resources where it runs, without a restart\n`)
      .join('');
    expect(resized).to.include(`one after the other:\n${inPlace}`).and.include('RolloutPaused');
    world.edit({ image: 'marekvs:next' });
    await world.advance(1_000);
    expect((await plan()).out).to.include('  - demo-2 is restarted on its volume\n  - demo-1 is restarted');
    const document: unknown = JSON.parse((await plan('plan demo -o json')).out);
    expect(document).to.have.nested.property('turns.members[0]').that.deep.equals({ node: 'demo-2', way: 'restart' });
    await rollout(world, 'resume demo');
    await world.until(() => world.cluster()?.status?.operation?.roll?.uid !== undefined, 60_000, 'a turn begins');
    const { out } = await plan();
    expect(out).to.include('demo-1 is restarted');
    expect(out).to.not.include('demo-2 is restarted');
  });

  it('undo asks, and changes nothing when the answer is no', async () => {
    const world = await formedWith(5);
    world.edit({ image: 'marekvs:next' });
    await rollout(world, 'status demo --watch');
    const refused = await rollout(world, 'undo demo', { typed: ['n'] });
    expect([refused.code, refused.err]).to.deep.equal([EXIT.failed, 'error: nothing was changed\n']);
    expect((await rollout(world, 'undo demo')).code, 'nobody can be asked').to.equal(EXIT.usage);
    expect(world.cluster()?.spec.image).to.equal('marekvs:next');
    expect((await rollout(world, 'undo demo', { typed: ['y'] })).code).to.equal(EXIT.fine);
    expect(world.cluster()?.spec.image).to.not.equal('marekvs:next');
  });

  it('approve names the revision that waits, refuses another one, and lets the update go on', async () => {
    const world = await formedWith(6, { update: { canaryNodes: 1 } });
    const nothing = await rollout(world, 'approve demo');
    expect([nothing.code, nothing.writes]).to.deep.equal([EXIT.blocked, []]);
    world.edit({ image: 'marekvs:next' });
    const waiting = await rollout(world, 'status demo --watch');
    expect([waiting.code, waiting.err]).to.satisfy(
      ([code, err]: [number, string]) =>
        code === EXIT.blocked && err.includes('Next: kubectl mkv rollout approve demo'),
      waiting.err,
    );
    const other = await rollout(world, 'approve demo --revision 0123456789abcdef');
    expect([other.code, other.writes]).to.deep.equal([EXIT.blocked, []]);
    expect(other.err).to.include(revisionOf(world)).and.include('not 0123456789abcdef');
    expect((await rollout(world, `approve demo --revision ${revisionOf(world)}`)).code).to.equal(EXIT.fine);
    expect((await rollout(world, 'approve demo')).out).to.match(/is approved already/);
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.fine);
  });

  it('undo after a canary needs no approval', async () => {
    const world = await formedWith(7, { update: { canaryNodes: 1 } });
    const before = images(world);
    world.edit({ image: 'marekvs:next' });
    await world.until(says('RolloutAwaitsApproval')(world), 120_000, 'it waits');
    expect((await rollout(world, 'undo demo --yes')).out).to.include('is approved');
    expect((await rollout(world, 'status demo --watch')).code).to.equal(EXIT.fine);
    expect(images(world)).to.deep.equal(before);
  });

  it('pause finishes the turn under way, status then says so, and resume goes on', async () => {
    const world = await formedWith(8);
    world.edit({ image: 'marekvs:next' });
    await world.until(() => world.node(2)?.spec.intent === 'Leaving', 60_000, 'it was told to leave');
    expect((await rollout(world, 'pause demo')).out).to.include('the turn of demo-2 is finished first');
    const paused = await rollout(world, 'status demo --watch');
    expect([paused.code, paused.err]).to.satisfy(
      ([code, err]: [number, string]) => code === EXIT.blocked && err.includes('Next: kubectl mkv rollout resume demo'),
      paused.err,
    );
    expect(images(world).filter((image) => image === 'marekvs:next').length).to.equal(1);
    expect((await rollout(world, 'resume demo')).code).to.equal(EXIT.fine);
    expect((await rollout(world, 'status demo --watch')).code, 'the end of the pause is waited for').to.equal(
      EXIT.fine,
    );
  });

  it('history has every template, the members with it, and what changed from each to the next', async () => {
    const world = await formedWith(9);
    const first = revisionOf(world);
    world.edit({ image: 'marekvs:next' });
    await rollout(world, 'status demo --watch');
    world.edit({ image: 'marekvs:missing', extraEnv: { RUST_LOG: 'debug' } });
    await rollout(world, 'status demo --watch');
    await world.until(() => images(world).every((image) => image === 'marekvs:next'), 120_000, 'demo-2 is back');
    const { out, code } = await rollout(world, 'history demo');
    expect(code).to.equal(EXIT.fine);
    // Cut where the ages take more room.
    expect(out).to.match(new RegExp(`\\n +3 {2}${revisionOf(world)} +\\S+ +- +wanted, stopped at demo(-2|…)\\n`));
    expect(out).to.match(/\n {5}2 {2}[0-9a-f]{16} +\S+ {2}demo-2, demo-1, demo-0 +previous\n/);
    expect(out).to.match(new RegExp(`\\n +1 {2}${first} `));
    expect(out).to.include('2 -> 3:\n  env.RUST_LOG: not set -> debug\n  image: marekvs:next -> marekvs:missing\n');
    const { revisions } = JSON.parse((await rollout(world, 'history demo -o json')).out);
    expect(revisions.map(({ number }: { readonly number: number }) => number)).to.deep.equal([3, 2, 1]);
  });

  it('status names the Pods that have to be deleted with OnDelete', async () => {
    const world = await formedWith(10, { update: { type: 'OnDelete' } });
    world.edit({ image: 'marekvs:next' });
    await world.until(says('RolloutOnDelete')(world), 60_000, 'it rests');
    const { code, out } = await rollout(world, 'status demo');
    expect([code, out]).to.satisfy(
      ([ended, text]: [number, string]) => ended === EXIT.blocked && /demo-0 .*with its next Pod/.test(text),
      out,
    );
    expect(out).to.include('next: kubectl delete pod <node> -n default');
  });
});
