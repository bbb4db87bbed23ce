// Real client libraries through everything that happens to a cluster, with the settings of
// docs/operations/connecting.md: plain through a stand-in for the Service, and in cluster mode. How many errors each
// sees is measured (`npm run bench:clients`); here each has to come through: at rest it meets no error and no old
// value.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import {
  type ClientProgram,
  type ClientTask,
  type Launcher,
  LIBRARIES,
  launcherOf,
  startClientProgram,
} from '../support/client-programs.ts';
import { clusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { installPlugin } from '../support/plugin.ts';
import { isRolledOut } from '../support/seen.ts';
import { type ServiceFront, startServiceFront } from '../support/service-front.ts';
import { followServing } from '../support/serving.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'clients';
const SECRET = 'demo-auth';
const PASSWORD = 'of the clients';
const NEXT_PASSWORD = 'the next one of the clients';
const LIMIT_MS = 120_000;
/** Operations a second of each client: there are a dozen. */
const RATE = 20;
const KEYS = 30;
/** A part in which every key was written and read again. */
const WHOLE_ROUND = 2 * KEYS;

describe('clients of every library', function () {
  this.timeout(2 * LIMIT_MS);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  const programs: ClientProgram[] = [];
  const launchers = new Map<string, Extract<Launcher, { kind: 'there' }>>();
  let front: ServiceFront;

  const taskOf = (library: string, mode: ClientTask['mode'], password = PASSWORD): ClientTask => {
    const { host, port } = front;
    return { library, mode, host, port, password, operationsPerSecond: RATE, keys: KEYS, settings: 'documented' };
  };
  /** Resolves when every client has worked through all its keys without an error, and has read what it wrote. On a
   *  machine whose processors are busy a member that is no home answers nil now and then
   *  (docs/design/server.md#reads): that is measured, and no error. */
  async function areAllWell(): Promise<void> {
    await Promise.all(programs.map(isWell));
  }

  async function isWell(program: ClientProgram): Promise<void> {
    const { library, mode } = program.task;
    let done = 0;
    let fresh = 0;
    const hasWorked = async (): Promise<boolean> => {
      const { operations, errors, kinds, reads, old, empty } = await program.part();
      done = errors === 0 ? done + operations : 0;
      fresh += reads - old - empty;
      if (errors > 0) throw new Error(JSON.stringify({ errors, kinds }));
      return done >= WHOLE_ROUND && fresh > 0;
    };
    await eventually(`${library} ${mode} meets no error, and reads what it wrote`, hasWorked, LIMIT_MS);
  }

  before(async function () {
    this.timeout(2 * LIMIT_MS);
    const { kube, watching } = world();
    await kube.createNamespace(NS);
    const data = { password: Buffer.from(PASSWORD).toString('base64') };
    await kube.core.createNamespacedSecret({ namespace: NS, body: { metadata: { name: SECRET }, data } });
    front = await startServiceFront(await followServing(watching, NS, cluster.name));
    for (const library of LIBRARIES) {
      const launcher = await launcherOf(library);
      if (launcher.kind === 'there') launchers.set(library, launcher);
      else console.log(`      without ${library}: ${launcher.why.split('\n')[0]}`);
    }
  });
  after(async () => {
    await Promise.all(programs.map((program) => program.stop()));
    await front?.close();
  });

  it('are at work as soon as a cluster serves', async () => {
    const auth = { secretRef: { name: SECRET, key: 'password' } };
    await world().kube.createCluster(NS, cluster.name, plainSpec(3, { auth }));
    const plugin = await installPlugin(world().testbed);
    await plugin.call(['auth', 'grant', cluster.name, '-n', NS, '--apply']);
    await plugin.remove();
    await cluster.healthy(3, LIMIT_MS);
    programs.push(...(await startAll(PASSWORD)));
    await areAllWell();
  });

  for (const [what, change] of [
    ['it grows', () => sized(4)],
    ['a member is removed', () => sized(3)],
    [
      'every member is restarted, one after the other',
      async () => {
        await cluster.edit({ extraEnv: { ROLLED: 'once' } });
        await cluster.says('every member has the new template', isRolledOut, LIMIT_MS);
        await cluster.healthy(3, LIMIT_MS);
      },
    ],
    ['somebody deletes a Pod', () => podsAreDeleted(['demo-1'])],
    [
      'all members lose their power at once and come back with other addresses',
      () => podsAreDeleted(['demo-0', 'demo-1', 'demo-2']),
    ],
  ] as const)
    it(`come through when ${what}`, async () => {
      await change();
      await areAllWell();
    });

  it('with a wrong password are refused, while those with the right one work on', async () => {
    for (const [library, launcher] of launchers) {
      const wrong = startClientProgram(launcher, { ...taskOf(library, 'plain', 'a wrong one') }, { limitMs: 1_000 });
      const refused = await wrong.then(
        (program) => program.stop().then(() => 'let in'),
        () => 'refused',
      );
      expect(refused, library).to.equal('refused');
    }
    await areAllWell();
  });

  it('keep their connections when the password changes, and connect anew with the next one', async () => {
    const data = { password: Buffer.from(NEXT_PASSWORD).toString('base64') };
    await world().patching.secret(NS, SECRET, { data });
    await eventually(
      'members want the next one',
      async () => {
        const next = await startAll(NEXT_PASSWORD);
        await Promise.all(next.map((program) => program.stop()));
        return true;
      },
      LIMIT_MS,
    );
    await areAllWell();
  });

  async function startAll(password: string): Promise<readonly ClientProgram[]> {
    const modes = ['plain', 'cluster'] as const;
    const all = [...launchers].flatMap(([library, launcher]) =>
      modes.map((mode) => startClientProgram(launcher, taskOf(library, mode, password))),
    );
    const outcomes = await Promise.allSettled(all);
    const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    if (started.length === all.length) return started;
    await Promise.all(started.map((program) => program.stop()));
    throw outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  async function sized(nodes: number): Promise<void> {
    await cluster.scale(nodes);
    await cluster.healthy(nodes, LIMIT_MS);
  }

  async function podsAreDeleted(names: readonly string[]): Promise<void> {
    const before = cluster.podUids();
    const { core } = world().kube;
    await Promise.all(names.map((name) => core.deleteNamespacedPod({ namespace: NS, name, gracePeriodSeconds: 0 })));
    await eventually(
      'other Pods run',
      () =>
        names.every((name) => {
          const uid = cluster.podUids().get(`${NS}/${name}`);
          return uid !== undefined && uid !== before.get(`${NS}/${name}`);
        }),
      LIMIT_MS,
    );
    await cluster.healthy(3, LIMIT_MS);
  }
});
