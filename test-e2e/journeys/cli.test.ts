// `kubectl mkv` from the first read to the support bundle, as a user types it: the built plugin, called by
// kubectl, on a real API server.
// Runs first: it takes more than a minute.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { installPlugin, type Plugin, type PluginResult } from '../support/plugin.ts';
import { settle } from '../support/settled.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'plugin';
const NAME = 'demo';
const SECRET = 'never-to-be-seen';

describe('kubectl mkv', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  let plugin: Plugin;

  const mkv = (...args: readonly string[]): Promise<PluginResult> => plugin.call([...args, '-n', NS]);
  const typed = (...args: readonly string[]): Promise<PluginResult> => plugin.run([...args, '-n', NS]);
  /** Its output; fails when it did not end with 0. */
  const fine = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await mkv(...args);
    expect([code, err], `${args.join(' ')}\n${out}`).to.deep.equal([0, '']);
    return out;
  };
  const healthy = (nodes: number) => world().kube.healthy(NS, NAME, nodes);

  /** Creates a cluster whose Pods wait for a Secret that does not exist; resolves when its status says so. */
  async function createUnstarted(name: string): Promise<void> {
    const { kube, watching } = world();
    await kube.createCluster(NS, name, plainSpec(3, { auth: { secretRef: { name: 'absent', key: 'password' } } }));
    await fine('auth', 'grant', name, '--apply');
    await kube.clusterUntil(NS, name, 'the missing Secret is said', ({ status }) => {
      const said = (type: string) => status?.conditions?.find((one) => one.type === type && one.status === 'True');
      return said('Stalled') !== undefined && said('PendingChange')?.reason === 'SecretMissing';
    });
    await watching.pod(
      NS,
      `${name}-0`,
      'its container waits for the Secret',
      ({ status }) =>
        status?.containerStatuses?.some(({ state }) => state?.waiting?.reason === 'CreateContainerConfigError') ===
        true,
    );
  }

  before(async function () {
    this.timeout(90_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    const [installed] = await Promise.all([
      installPlugin(testbed),
      kube.createCluster(NS, NAME, plainSpec(3, { extraEnv: { API_TOKEN: SECRET } })).then(() => healthy(3)),
    ]);
    await settle(kube, NS);
    plugin = installed;
  });
  after(() => plugin?.remove());

  it('shows a cluster on one screen, lists clusters, and prints output for programs', async () => {
    const screen = await fine('status', NAME);
    expect(screen)
      .to.match(/^plugin\/demo {2}Healthy {2}3 of 3 nodes ready\n/)
      .and.match(/demo-2 +Active +3\/3/);
    expect(Math.max(...screen.split('\n').map((line) => line.length))).to.be.at.most(80);
    expect(await fine('status'))
      .to.match(/^NAME +READY/)
      .and.match(/demo +3\/3/);
    const { items } = JSON.parse(await fine('status', NAME, '-o', 'json'));
    expect(items.map(({ kind }: { kind: string }) => kind)).to.deep.equal([
      'MarekvsCluster',
      ...Array(3).fill('MarekvsNode'),
    ]);
    expect(await fine('explain', NAME)).to.equal('plugin/demo: it is at its desired state\n');
    expect(await fine('plan', NAME)).to.include('nothing to do');
  });

  it('ends with the documented codes and one line that says what to do', async () => {
    const ends = await Promise.all([
      typed('status', 'nope'),
      typed('scale', NAME, 'many'),
      typed('scale', NAME, '2'),
      typed('force-remove', 'demo-1', '--uid', 'wrong', '--reason', 'why'),
    ]);
    expect(ends.map(({ code }) => code)).to.deep.equal([3, 2, 4, 4]);
    for (const { err } of ends) expect(err.trim().split('\n').at(-1)).to.match(/^error: .*\. Next: /);
  });

  it('tells a user without permissions what is missing, and ends with 5', async () => {
    const nobody = await world().testbed.controlPlane.addUser('mkv-nobody', ['system:authenticated']);
    const { code, out, err } = await plugin.run(['status', '-n', NS], nobody);
    expect([code, out]).to.deep.equal([5, '']);
    expect(err).to.match(/^error: list marekvsclusters in plugin: 403 .*"mkv-nobody" cannot list resource/);
    expect(err).to.include(
      'Next: ask for the permission; kubectl auth can-i list marekvsclusters.marekvs.io -n plugin',
    );
  });

  it('names in explain the missing Secret and the node that waits, since when, and the commands, and ends with 4', async () => {
    const { kube } = world();
    const begun = Math.floor(Date.now() / 1000) * 1000;
    await createUnstarted('waiting');
    const { code, out } = await mkv('explain', 'waiting', '-o', 'json');
    const [first, second] = JSON.parse(out).findings;
    expect([code, first.rule, first.kind]).to.deep.equal([4, 'SecretMissing', 'blocked']);
    expect(second.rule).to.equal('ContainerConfigInvalid');
    expect(second.member).to.match(/^waiting-[012]$/);
    expect(second.commands.join()).to.include(`kubectl describe pod ${second.member} -n ${NS}`);
    expect(Date.parse(second.since)).to.be.within(begun, Date.now());
    await kube.deleteCluster(NS, 'waiting');
  });

  it('grows the cluster, and a watched status draws every step of it until Ctrl-C', async () => {
    const code = await plugin.watch(
      ['status', NAME, '-n', NS, '--watch'],
      (line) => line.includes('Healthy  4 of 4 nodes ready'),
      async () => {
        expect(await fine('scale', NAME, '4')).to.match(/^demo: spec\.nodes 3 -> 4\nnext: one node joins/);
      },
    );
    expect(code).to.equal(0);
  });

  it('pauses a cluster, shows in plan what waits for that, takes the change back, and resumes', async () => {
    await fine('pause', NAME);
    await fine('scale', NAME, '3');
    expect(await fine('plan', NAME)).to.include('Paused: spec.paused is true: 1 node is to be removed');
    expect(await fine('cancel', NAME)).to.include('spec.nodes 3 -> 4');
    await fine('resume', NAME);
    expect((await healthy(4)).status?.lastOperation).to.equal(undefined);
  });

  it('removes the node that was marked, and shows the proof on which it was removed', async () => {
    expect(await fine('remove', 'demo-1')).to.include('next: it leaves when the cluster shrinks');
    await fine('remove', 'demo-1', '--shrink');
    await world().kube.clusterUntil(
      NS,
      NAME,
      'demo-1 was removed',
      ({ status }) => status?.lastOperation?.target?.name === 'demo-1' && status.phase === 'Healthy',
    );
    const proof = await fine('proof', 'demo-1');
    expect(proof)
      .to.match(/^demo-1: Remove Succeeded/)
      .and.match(/before the removal: .* ago/)
      .and.match(/among the survivors: .* ago/)
      .and.match(/all\s+of \S+ is on every other home/)
      .and.match(/contents +yes /)
      .and.not.match(/ NO /);
    expect(await fine('volumes', NAME))
      .to.match(/data-demo-1 +Reusable .* yes /)
      .and.match(/data-demo-0 +Attached .* no /);
  });

  it('shows the figures that decide a size, and refuses to scale a cluster that follows the load', async () => {
    const { kube } = world();
    await kube.createCluster(
      NS,
      'sized',
      plainSpec(3, { autoscale: { minNodes: 3, maxNodes: 4, targetOpsPerNode: 50 } }),
    );
    await kube.clusterUntil(NS, 'sized', 'sizing has begun', ({ status }) => status?.autoscale !== undefined);
    const screen = await fine('autoscale', 'sized', '--interval', '1');
    expect(screen)
      .to.match(/^plugin\/sized {2}3 nodes, 3 to 4 by load \(50 ops\/s a node\)\n/)
      .and.match(/^sized-2 +0 /m)
      .and.include('AtMinNodes: nothing; more nodes above 150 ops/s');
    expect(await fine('plan', 'sized', '--autoscale')).to.include('AtMinNodes: nothing');
    const scaled = await mkv('scale', 'sized', '4');
    expect([scaled.code, scaled.err.includes('minNodes 3 to maxNodes 4, now 3')]).to.deep.equal([4, true]);
    await kube.deleteCluster(NS, 'sized');
  });

  it('says why figures cannot be read, instead of showing nothing', async () => {
    await createUnstarted('silent');
    expect(await fine('top', 'silent'))
      .to.include('not read: silent-0')
      .and.include("the API server's Pod proxy");
    await world().kube.deleteCluster(NS, 'silent');
  });

  it('checks a file offline', async () => {
    await writeFile(
      join(plugin.folder, 'bad.yaml'),
      'apiVersion: marekvs.io/v1alpha1\nkind: MarekvsCluster\nmetadata: {name: demo}\nspec:\n  image: a:b\n  nodes: 0\n',
    );
    const bad = await plugin.run(['validate', '-f', 'bad.yaml'], '/nowhere');
    expect([bad.code, bad.out]).to.deep.equal([
      1,
      'bad.yaml:6:10: spec.nodes must be a whole number between 1 and 1000\n',
    ]);
  });

  it('packs a report without a secret in it', async () => {
    const { out } = await typed('report', NAME, '--file', 'report.tar.gz');
    expect(out).to.match(/^report\.tar\.gz: \d+ files/);
    const tar = (...args: readonly string[]) =>
      promisify(execFile)('tar', [...args, join(plugin.folder, 'report.tar.gz')]);
    expect((await tar('-tzf')).stdout.split('\n')).to.include.members([
      'mkv-report/README.txt',
      'mkv-report/explain.txt',
      'mkv-report/objects/cluster.yaml',
    ]);
    const { stdout } = await promisify(execFile)('tar', ['-xzOf', join(plugin.folder, 'report.tar.gz')]);
    expect(stdout).to.include('API_TOKEN').and.not.include(SECRET);
    expect((await typed('report', NAME, '--file', 'report.tar.gz')).code).to.equal(2);
  });
});
