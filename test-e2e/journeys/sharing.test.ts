// Three replicas that share the clusters, in mode ring and in mode static, on a real API server: one is killed, and its
// clusters are taken, or wait; no cluster is ever written by two replicas in turns, and none because of a change of
// mode, in either direction. Times are printed.
// Runs first: it takes minutes.

import { LABELS, type MarekvsCluster, OPERATOR_NAMESPACE } from '@marekvs/api';
import { ordinalAssignment, slotOf } from '@marekvs/runtime';
import { OPERATOR_USER } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { type HandoverWatch, watchHandovers } from '../support/handovers.ts';
import { ownPath, type Seen } from '../support/kube.ts';
import { type LoneOperator, startLoneOperator } from '../support/lone-operator.ts';
import { says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'sharing';
const CLUSTERS = 9;
const REPLICAS = 3;
/** Longer than a lease lasts and is waited out. */
const TAKEN_MS = 25_000;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

type Mode = 'single' | 'ring' | 'static';

describe('replicas that share the clusters', function () {
  this.timeout(300_000);
  const world = withWorld({ before, after }, { runner: 'hollow', operator: false });
  const names = Array.from({ length: CLUSTERS }, (_, index) => `c-${index}`);
  const replicas = new Map<number, LoneOperator>();
  /** Who made each cluster. */
  const makers = new Map<string, string | undefined>();
  let boots = 0;
  let watch: HandoverWatch | undefined;
  after(() => watch?.stop());

  before(async () => {
    const { kubectl, kube } = world();
    for (const file of ['role', 'role-binding', 'leases'])
      await kubectl('apply', '-f', `config/components/sharing/${file}.yaml`);
    await kube.createNamespace(NS);
  });
  after(async () => {
    await Promise.all([...replicas.values()].map((one) => one.stop()));
  });

  function start(mode: Mode, ordinal: number): LoneOperator {
    const { testbed } = world();
    boots += 1;
    const args = [
      `--kubeconfig=${testbed.kubeconfigs.operator}`,
      `--namespace=${OPERATOR_NAMESPACE}`,
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
      `--mode=${mode}`,
      ...(mode === 'static' ? [`--replicas=${REPLICAS}`] : []),
    ];
    const env = { HOME: testbed.dir, POD_NAME: `marekvs-operator-${ordinal}`, POD_UID: `uid-${boots}` };
    const one = startLoneOperator(args, env);
    replicas.set(ordinal, one);
    return one;
  }

  /** How many slots a replica has, by its log. */
  function held(one: LoneOperator | undefined): number {
    const said = one?.logged().filter(({ msg }) => msg === 'Takes slots' || msg === 'Gives up slots') ?? [];
    return said.reduce(
      (slots, line) => (line.msg === 'Takes slots' ? Number(line.held) : slots - Number(line.slots)),
      0,
    );
  }

  const allHeld = (): number =>
    [...replicas.values()].filter((one) => one.isRunning()).reduce((sum, one) => sum + held(one), 0);

  async function shared(count: number): Promise<void> {
    await eventually(
      `${count} replicas have a part each, together all`,
      () =>
        allHeld() === 256 && [...replicas.values()].filter((one) => one.isRunning() && held(one) > 0).length === count,
      90_000,
    );
  }

  /** For each cluster, the replicas that have written to it, one after the other, without repetitions. */
  async function writers(
    reader: { read(): Promise<{ readonly requests: readonly Written[] }> },
    isMeant = (_: Written) => true,
  ) {
    const byCluster = new Map<string, string[]>();
    for (const request of (await reader.read()).requests) {
      const { verb, resource, namespace, name, userAgent, code } = request;
      if (!isMeant(request)) continue;
      if (namespace !== NS || !WRITES.has(verb) || resource.startsWith('events') || code >= 400) continue;
      const cluster = /(c-\d+)/.exec(name)?.[1];
      if (cluster === undefined) continue;
      const turns = byCluster.get(cluster) ?? [];
      if (turns.at(-1) !== userAgent) turns.push(userAgent);
      byCluster.set(cluster, turns);
    }
    return byCluster;
  }

  async function healthy(nodes: number, which: readonly string[] = names): Promise<void> {
    await Promise.all(which.map((name) => world().kube.healthy(NS, name, nodes, 120_000)));
  }

  /** Waits for what follows a growth: all members are compared, and then one member of each may be away again. */
  async function undisturbed(nodes: number): Promise<void> {
    await world().kube.until<MarekvsCluster>('all are compared', ownPath('marekvsclusters', NS), (clusters) => {
      const whole = clusters.filter(({ status }) => says({ status }, 'FullyReplicated', 'True'));
      return whole.length === CLUSTERS;
    });
    const path = `/apis/policy/v1/namespaces/${NS}/poddisruptionbudgets`;
    await world().kube.until<Budget>('every cluster may be disrupted', path, (budgets) => {
      const free = budgets.filter(({ spec }) => spec?.minAvailable === nodes - 1);
      return free.length === CLUSTERS;
    });
  }

  async function edit(nodes: number): Promise<void> {
    await Promise.all(names.map((name) => world().kube.patchCluster(NS, name, { spec: { nodes } })));
  }

  it('in mode ring make clusters together, each its own', async () => {
    const reader = await world().testbed.auditReader(OPERATOR_USER);
    for (let ordinal = 0; ordinal < REPLICAS; ordinal += 1) start('ring', ordinal);
    await shared(REPLICAS);
    const clusters = names.map((name) => ({ namespace: NS, name }));
    watch = await watchHandovers(world().watching, clusters);
    await Promise.all(names.map((name) => world().kube.createCluster(NS, name, plainSpec(3))));
    await healthy(3);
    const turns = await writers(reader);
    expect(turns.size).to.equal(CLUSTERS);
    expect([...turns.values()].every((one) => one.length === 1)).to.equal(true);
    expect(new Set([...turns.values()].flat()).size).to.be.above(1);
    for (const [name, [maker]] of turns) makers.set(name, maker);
  });

  it('in mode ring correct the slot of a template that somebody has changed', async () => {
    const { kubectl } = world();
    const [own = ''] = names;
    const other = names.find((name) => makers.get(name) !== makers.get(own));
    const ofTemplates = ['-n', NS, 'controllerrevisions', '-l', `${LABELS.cluster}=${own}`];
    const slots = `jsonpath={.items[*].metadata.labels.${LABELS.slot.replaceAll('.', '\\.')}}`;
    const slot = String(slotOf(`${NS}/${own}`));
    expect(await kubectl('get', ...ofTemplates, '-o', slots)).to.equal(slot);
    await kubectl('label', '--overwrite', ...ofTemplates, `${LABELS.slot}=${slotOf(`${NS}/${other}`)}`);
    await eventually(
      'it is corrected',
      async () => (await kubectl('get', ...ofTemplates, '-o', slots)) === slot,
      20_000,
    );
  });

  it('in mode ring take the clusters of a replica that is killed', async () => {
    const reader = await world().testbed.auditReader(OPERATOR_USER);
    const startedAt = performance.now();
    await replicas.get(1)?.kill();
    await edit(4);
    await shared(2);
    const takenMs = performance.now() - startedAt;
    await healthy(4);
    console.log(`      ring: the slots of a killed replica were taken after ${(takenMs / 1_000).toFixed(1)} s`);
    // The last writes of the killed one may be among them.
    const verdict = watch?.judge((await reader.read()).requests);
    expect(verdict?.violations).to.deep.equal([]);
    expect(verdict?.writes).to.be.above(CLUSTERS);
  });

  it('in mode ring hand over when one ends, and give one that starts a part, without two that write in turns', async () => {
    const reader = await world().testbed.auditReader(OPERATOR_USER);
    const startedAt = performance.now();
    await replicas.get(0)?.stop();
    const endedMs = performance.now() - startedAt;
    await shared(1);
    const takenMs = performance.now() - startedAt;
    start('ring', 0);
    start('ring', 1);
    await shared(REPLICAS);
    await edit(5);
    await healthy(5);
    const took = `${(endedMs / 1_000).toFixed(1)} s to end, all taken after ${(takenMs / 1_000).toFixed(1)} s`;
    console.log(`      ring: a planned hand-over: ${took}`);
    const { requests } = await reader.read();
    const verdict = watch?.judge(requests);
    console.log(
      `      ring: ${verdict?.handovers} hand-overs of clusters, ${verdict?.writes} writes after the last of them`,
    );
    expect(verdict?.violations).to.deep.equal([]);
    expect(verdict?.handovers).to.be.above(CLUSTERS);
    expect(verdict?.writes).to.be.above(CLUSTERS);
  });

  it('in mode static go on with the same clusters without a write except statuses, and those of a killed one wait for it', async () => {
    await undisturbed(5);
    const reader = await world().testbed.auditReader(OPERATOR_USER);
    await Promise.all([...replicas.values()].map((one) => one.stop()));
    for (let ordinal = 0; ordinal < REPLICAS; ordinal += 1) start('static', ordinal);
    await shared(REPLICAS);
    await eventually('every cluster was looked at', () => [...replicas.values()].every(hasLookedAtAll));
    // A figure of the growth before may be due, and only that may be written.
    const written = await writers(reader, ({ resource }) => !resource.endsWith('/status'));
    expect([...written.keys()], 'clusters that were written').to.deep.equal([]);
    const owner = (name: string) => ordinalAssignment(REPLICAS)[slotOf(`${NS}/${name}`)];
    const [own, others] = [names.filter((name) => owner(name) === 2), names.filter((name) => owner(name) !== 2)];
    expect([own, others].map(({ length }) => length > 0)).to.deep.equal([true, true]);
    await replicas.get(2)?.kill();
    const killedAt = performance.now();
    // The last writes of the killed one are left out.
    await reader.skip();
    await edit(6);
    await healthy(6, others);
    await eventually('a ring would have taken them', () => performance.now() - killedAt > TAKEN_MS);
    const meanwhile = await writers(reader);
    expect([...meanwhile.keys()], 'clusters that were written').to.have.members(others);
    const startedAt = performance.now();
    start('static', 2);
    await shared(REPLICAS);
    console.log(
      `      static: a killed replica works again ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after its start`,
    );
    await healthy(6);
    const turns = await writers(reader);
    expect([...turns.keys()]).to.include.members(own);
    for (const [name, all] of [...meanwhile, ...turns])
      expect(all, name).to.deep.equal([`marekvs-operator/marekvs-operator-${owner(name)}`]);
  });

  it('hand over to one in mode single, and a ring takes over from it, without a write except statuses', async () => {
    await undisturbed(6);
    const reader = await world().testbed.auditReader(OPERATOR_USER);
    const sharing = [...replicas.values()];
    const alone = start('single', REPLICAS);
    await Promise.all(sharing.map((one) => one.stop()));
    await eventually('one manages every cluster', () => hasLookedAtAll(alone), 60_000);
    for (let ordinal = 0; ordinal < REPLICAS; ordinal += 1) start('ring', ordinal);
    await alone.stop();
    replicas.delete(REPLICAS);
    await shared(REPLICAS);
    await eventually('every cluster was looked at', () => [...replicas.values()].every(hasLookedAtAll));
    const written = await writers(reader, ({ resource }) => !resource.endsWith('/status'));
    expect([...written.keys()], 'clusters that were written').to.deep.equal([]);
    await edit(7);
    await healthy(7);
    expect((await writers(reader)).size, 'clusters that are managed').to.equal(CLUSTERS);
  });
});

function hasLookedAtAll(one: LoneOperator): boolean {
  return one.logged().some(({ msg }) => msg === 'Reconciled every cluster');
}

interface Budget extends Seen {
  readonly spec?: { readonly minAvailable?: number };
}

interface Written {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly userAgent: string;
  readonly code: number;
}
