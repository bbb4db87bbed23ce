// A password that is changed, or taken from another Secret, on a real control plane: running members get it from the
// operator, which was granted these Secrets and no others.
// Runs first: it takes three and a half minutes.

import type { MarekvsCluster } from '@marekvs/api';
import { createStoreClient } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { conditionOf } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'passwords';
const NODES = 3;
const SECRET = 'demo-auth';
const READS = `get secrets ${SECRET}`;
const FIRST = 'the first one';
const SECOND = ' the second, with blanks ';
const NEXT_SECRET = 'demo-next';
const THIRD = 'the third one';
const FOURTH = 'the fourth one';

describe('a password that changes', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  const store = createStoreClient();
  let plugin: Plugin;

  const data = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
  /** How many members accept a new session with this password. */
  async function letIn(password: string): Promise<number> {
    const answers = await Promise.allSettled(
      cluster.runningPods().flatMap(({ ip }) => (ip === undefined ? [] : [store.clusterInfo({ host: ip, password })])),
    );
    return answers.filter(({ status }) => status === 'fulfilled').length;
  }
  /** Waits, since a member may not answer for a moment. */
  const allLetIn = (password: string) =>
    eventually(`all members want ${password}`, async () => (await letIn(password)) === NODES);
  /** How many members accept a new session without a password. */
  async function letInWithout(): Promise<number> {
    const answers = await Promise.allSettled(
      cluster.runningPods().flatMap(({ ip }) => (ip === undefined ? [] : [store.clusterInfo({ host: ip })])),
    );
    return answers.filter(({ status }) => status === 'fulfilled').length;
  }
  const put = (texts: Readonly<Record<string, string>>) => world().patching.secret(NS, SECRET, { data: data(texts) });
  const stalledBy = ({ status }: MarekvsCluster) => {
    const stalled = conditionOf(status, 'Stalled');
    return stalled?.status === 'True' ? stalled.reason : undefined;
  };

  before(async function () {
    this.timeout(120_000);
    const { kube } = world();
    await kube.createNamespace(NS);
    await kube.core.createNamespacedSecret({
      namespace: NS,
      body: { metadata: { name: SECRET }, data: data({ password: FIRST, other: 'of another cluster' }) },
    });
    const auth = { secretRef: { name: SECRET, key: 'password' } };
    await kube.createCluster(NS, 'demo', plainSpec(NODES, { auth }));
    plugin = await installPlugin(world().testbed);
  });
  after(() => plugin?.remove());

  it('is noticed once the operator may read and follow that one Secret, which the plugin grants', async () => {
    const { status } = await cluster.says('it may not be read', (seen) => stalledBy(seen) === 'SecretNotReadable');
    expect(conditionOf(status, 'Stalled')?.message).to.include('kubectl mkv auth grant demo -n passwords --apply');
    const { out: printed } = await plugin.call(['auth', 'grant', 'demo', '-n', NS]);
    expect(printed).to.match(/kind: Role\n[\s\S]*resourceNames:\n +- demo-auth\n[\s\S]*kind: RoleBinding\n/);
    const { code, err } = await plugin.call(['auth', 'grant', 'demo', '-n', NS, '--apply']);
    expect([code, err]).to.deep.equal([0, '']);
    await cluster.healthy(NODES);
    await allLetIn(FIRST);
    const may = (what: string) =>
      world()
        .kubectl(
          'auth',
          'can-i',
          ...what.split(' '),
          '-n',
          NS,
          '--as',
          'system:serviceaccount:marekvs-system:marekvs-operator',
        )
        .then(
          (answer) => answer.trim(),
          () => 'no',
        );
    expect(await may(`watch secret/${SECRET}`)).to.equal('yes');
    expect(await may('watch secret/another')).to.equal('no');
    expect(await may('list secrets')).to.equal('no');
  });

  it('is given to every running member, read back, and nobody is restarted', async () => {
    const before = cluster.lives();
    const startedMs = performance.now();
    await put({ password: SECOND });
    await eventually('all members want the second', async () => (await letIn(SECOND)) === NODES, 30_000);
    console.log(`      ${Math.round(performance.now() - startedMs)} ms until all members want the changed password`);
    expect(await letIn(FIRST)).to.equal(0);
    expect(cluster.lives()).to.deep.equal(before);
    await cluster.says('it is in force', ({ status }) => conditionOf(status, 'PendingChange')?.status === 'False');
    for (const id of [0, 1, 2]) {
      const told = `demo-${id} wants the password of Secret ${SECRET}, key password`;
      await world().watching.event(
        NS,
        told,
        ({ reason, note = '' }) => reason === 'PasswordApplied' && note.includes(told),
      );
    }
  });

  it('is still followed after a change of a key of the Secret that is not the cluster’s, which concerns nobody', async () => {
    const before = cluster.lives();
    const audit = await world().testbed.auditReader();
    await put({ other: 'changed' });
    await eventually('the operator has read the changed Secret', async () =>
      (await audit.read()).requests.some(({ verb, resource, name }) => `${verb} ${resource} ${name}` === READS),
    );
    expect([await letIn(SECOND), cluster.lives()]).to.deep.equal([NODES, before]);
    await put({ password: FIRST });
    await eventually('all members want the first again', async () => (await letIn(FIRST)) === NODES, 30_000);
  });

  it('to a value that no password can have is reported, and members keep the one they have', async () => {
    await put({ password: 'with a \0 in it' });
    await cluster.says('it is said', (seen) => stalledBy(seen) === 'PasswordInvalid', 60_000);
    await allLetIn(FIRST);
    await put({ password: SECOND });
    await eventually('all members want the second', async () => (await letIn(SECOND)) === NODES, 60_000);
  });

  const changeAuth = (auth: object | null) => cluster.edit({ auth });
  const naming = (name: string) => ({ secretRef: { name, key: 'password' } });
  /** Which Secret new Pods start with, by the template of each node. */
  const stamped = async () =>
    (await world().kube.nodes(NS)).map(({ spec }) => `${spec.template.authSecretRef?.name ?? ''},`).join('');
  /** From the edit until a new session needs it on all members, and until new Pods start with it. */
  async function moved(what: string, auth: object | null, wants: () => Promise<boolean>, secret: string) {
    const before = cluster.lives();
    const startedMs = performance.now();
    await changeAuth(auth);
    await eventually(`all members want ${what}`, wants, 60_000);
    const wantedMs = performance.now() - startedMs;
    await eventually(
      `new Pods start with ${what}`,
      async () => (await stamped()) === `${secret},`.repeat(NODES),
      60_000,
    );
    const stampedMs = performance.now() - startedMs;
    console.log(
      `      ${what}: wanted by all after ${Math.round(wantedMs)} ms, of new Pods after ${Math.round(stampedMs)} ms`,
    );
    await cluster.says('it is in force', ({ metadata, status }) => {
      const isOfEdit = status?.observedGeneration === metadata.generation;
      return isOfEdit && conditionOf(status, 'PendingChange')?.status === 'False';
    });
    expect(cluster.lives()).to.deep.equal(before);
  }

  it('to that of another Secret waits for a grant, which names both Secrets, and then reaches all while they run', async () => {
    const { kube } = world();
    await kube.core.createNamespacedSecret({
      namespace: NS,
      body: { metadata: { name: NEXT_SECRET }, data: data({ password: THIRD }) },
    });
    const before = cluster.lives();
    await changeAuth(naming(NEXT_SECRET));
    await cluster.says('the other one may not be read', (seen) => stalledBy(seen) === 'SecretNotReadable');
    await allLetIn(SECOND);
    expect(await stamped()).to.equal(`${SECRET},`.repeat(NODES));
    const { code, out } = await plugin.call(['auth', 'grant', 'demo', '-n', NS]);
    expect(code).to.equal(0);
    expect(out).to.match(new RegExp(`resourceNames:\n +- ${NEXT_SECRET}\n +- ${SECRET}\n`));
    await plugin.call(['auth', 'grant', 'demo', '-n', NS, '--apply']);
    // The operator asks again every 30 s.
    await eventually('all members want the third', async () => (await letIn(THIRD)) === NODES, 90_000);
    await cluster.says('it is in force', ({ status }) => conditionOf(status, 'PendingChange')?.status === 'False');
    await eventually('new Pods start with it', async () => (await stamped()) === `${NEXT_SECRET},`.repeat(NODES));
    expect([await letIn(SECOND), cluster.lives()]).to.deep.equal([0, before]);
  });

  it('to that of either granted Secret reaches all while they run', async () => {
    await moved('the Secret of before', naming(SECRET), async () => (await letIn(SECOND)) === NODES, SECRET);
    await moved('another Secret', naming(NEXT_SECRET), async () => (await letIn(THIRD)) === NODES, NEXT_SECRET);
    expect(await letIn(SECOND)).to.equal(0);
  });

  it('is given again to a process that was killed and starts again in its Pod', async () => {
    const [first] = cluster.runningPods();
    if (first === undefined) throw new Error('there are Pods');
    const { restartCount } = first;
    world().testbed.kubelet.kill(first.key);
    await eventually(
      'it is back, and wants the third',
      async () =>
        (cluster.runningPods().find(({ key }) => key === first.key)?.restartCount ?? 0) > restartCount &&
        (await letIn(THIRD)) === NODES,
      60_000,
    );
  });

  it('to none, and from none to one, reaches all while they run', async () => {
    const isOpen = async () => (await letInWithout()) === NODES;
    await moved('no password', null, isOpen, '');
    const isGuarded = async () => (await letIn(THIRD)) === NODES && (await letInWithout()) === 0;
    await moved('a password', naming(NEXT_SECRET), isGuarded, NEXT_SECRET);
  });

  it('while no operator runs reaches all by restarts on their volumes, one at a time, without a person', async function () {
    this.timeout(420_000);
    const volumes = () => Promise.all([0, 1, 2].map((id) => cluster.volumeUid(id)));
    const [before, volumesBefore] = [cluster.lives(), await volumes()];
    await world().testbed.operator.stop();
    const patch = JSON.stringify({ data: data({ password: FOURTH }) });
    await world().kubectl('-n', NS, 'patch', 'secret', NEXT_SECRET, '--type=merge', '-p', patch);
    await world().testbed.startOperator();
    const { status } = await cluster.says('nobody takes it', (seen) => stalledBy(seen) === 'PasswordRefused', 120_000);
    expect(conditionOf(status, 'Stalled')?.message).to.match(/restarted one at a time, each on its volume, from/);
    let mostDown = 0;
    const startedMs = performance.now();
    const areAllTold = async () => {
      mostDown = Math.max(mostDown, NODES - cluster.runningPods().length);
      return (await letIn(FOURTH)) === NODES;
    };
    await eventually('all members want the fourth', areAllTold, 300_000);
    console.log(`      ${Math.round((performance.now() - startedMs) / 1000)} s until all were restarted`);
    await cluster.healthy(NODES);
    expect(cluster.lives().filter((life) => before.includes(life))).to.deep.equal([]);
    expect([mostDown <= 1, await volumes()]).to.deep.equal([true, volumesBefore]);
  });

  it('is stored in no object except the Secret', async () => {
    const stored = await world().kubectl(
      '-n',
      NS,
      'get',
      'mkv,mkvnode,pods,pvc,events,controllerrevisions,services',
      '-o',
      'json',
    );
    for (const text of [FIRST, SECOND, THIRD, FOURTH]) {
      expect(stored).to.not.include(text);
      expect(stored).to.not.include(Buffer.from(text).toString('base64'));
    }
  });
});
