// `kubectl mkv` while things happen: what is followed until Ctrl-C, the members' figures, terminals, shells,
// and every way it can end. On a real API server, with api-front.ts in between where members have to be reached
// through it.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type ApiFront, kubeconfigOf, startApiFront } from '../support/api-front.ts';
import { membersOf } from '../support/data.ts';
import { startLoad } from '../support/load.ts';
import { patientStore } from '../support/patient-store.ts';
import { installPlugin, type Plugin, type PluginResult } from '../support/plugin.ts';
import { COMPLETIONS, FOR_KUBECTL, has } from '../support/shells.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'live';
const NAME = 'demo';
const COLUMNS = 80;
/** Verbs that print tables, for a cluster of three nodes. */
const SCREENS = [
  'status',
  `status ${NAME}`,
  'status -A',
  `explain ${NAME}`,
  `plan ${NAME}`,
  `proof ${NAME}-1`,
  `volumes ${NAME}`,
  `top ${NAME}`,
];

const TOP_SECONDS = 2;
/** Commands that the operator sends to three members per second: one whole probe of each. */
const OPERATORS_PER_SECOND = 30;

describe('kubectl mkv while things happen', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  let plugin: Plugin;
  let front: ApiFront;
  let withoutKinds: ApiFront;
  let far: ApiFront;

  const mkv = (line: string, kubeconfig?: string): Promise<PluginResult> =>
    plugin.call([...line.split(' '), '-n', NS], kubeconfig);
  const fine = async (line: string, kubeconfig?: string): Promise<string> => {
    const { code, out, err } = await mkv(line, kubeconfig);
    expect([code, err], `${line}\n${out}`).to.deep.equal([0, '']);
    return out;
  };

  before(async function () {
    this.timeout(90_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    [plugin] = await Promise.all([
      installPlugin(testbed),
      kube.createCluster(NS, NAME, plainSpec(3)).then(() => kube.healthy(NS, NAME, 3)),
    ]);
    [front, withoutKinds, far] = await Promise.all([
      startApiFront(testbed, plugin.folder),
      startApiFront(testbed, plugin.folder, {
        pathOf: (path) => path.replace('/apis/marekvs.io/', '/apis/not-installed.marekvs.io/'),
      }),
      startApiFront(testbed, plugin.folder, { isFar: true }),
    ]);
  });
  after(async () => {
    await Promise.all([front?.close(), withoutKinds?.close(), far?.close()]);
    await plugin?.remove();
  });

  describe('a cluster without a client', () => {
    it('serves 0 commands per second in top and in its status while its contents are compared again and again', async () => {
      let isScheduled = true;
      const looking = fine(`top ${NAME} --interval ${TOP_SECONDS} -o json`, front.kubeconfig).finally(() => {
        isScheduled = false;
      });
      const rates = new Set<number | undefined>();
      // At least two comparisons, so that one lies between the two readings of top.
      const isRated = () => [...rates].some((rate) => rate !== undefined);
      for (let compared = 0; isScheduled || compared < 2 || !isRated(); compared += 1) {
        await fine(`verify ${NAME}`);
        const { status } = await world().kube.cluster(NS, NAME);
        expect(status?.verification?.state).to.equal('Covered');
        rates.add(status?.opsPerSecond);
      }
      const { nodes } = JSON.parse(await looking);
      expect(
        nodes.map(({ node, opsPerSecond, unread }: Record<string, unknown>) => [node, opsPerSecond, unread]),
      ).to.deep.equal([0, 1, 2].map((id) => [`demo-${id}`, 0, undefined]));
      expect([...rates].filter((rate) => rate !== undefined)).to.deep.equal([0]);
    });
  });

  describe('figures', () => {
    it('of top are true: the rates add up to the load of the clients, and the rest is what members report', async () => {
      const addresses = [...membersOf(world().testbed.kubelet, NS, NAME).values()];
      const load = await startLoad(addresses, 300);
      await load.runFor(500);
      const startedMs = performance.now();
      const out = await fine(`top ${NAME} --interval ${TOP_SECONDS}`, front.kubeconfig);
      const endedMs = performance.now();
      await load.stop();
      const rows = [...out.matchAll(/^demo-\d +(\d+) +(\d+) +- +(\d+\S*) +(\d+)% +(\S+) +ok$/gm)];
      expect(rows, out).to.have.lengthOf(3);
      const total = rows.reduce((sum, [, rate]) => sum + Number(rate), 0);
      // Its two readings lie somewhere between its start and its end, as many seconds apart as it was told, or more on
      // a busy machine.
      const longestSeconds = (endedMs - startedMs) / 1000;
      const windows = Array.from({ length: Math.ceil((longestSeconds - TOP_SECONDS) * 10) + 1 }, (_, tenths) => {
        const fromMs = Math.min(startedMs + tenths * 100, endedMs - TOP_SECONDS * 1000);
        return load.carriedOut(fromMs, fromMs + TOP_SECONDS * 1000).atLeast;
      });
      const least = Math.min(...windows);
      const most = load.carriedOut(startedMs, endedMs).atMost;
      // The operator asks the members, too.
      const others = (OPERATORS_PER_SECOND * longestSeconds) / TOP_SECONDS;
      expect(total, out).to.be.within(Math.floor(least / longestSeconds), Math.ceil(most / TOP_SECONDS + others));
      expect(most, 'the load was there while top looked').to.be.above(0);
      expect(widest(out)).to.be.at.most(COLUMNS);
      const { nodes } = JSON.parse(await fine(`top ${NAME} --interval 1 -o json`, front.kubeconfig));
      expect(
        nodes.map(({ node, writesStopped, unread }: Record<string, unknown>) => [node, writesStopped, unread]),
      ).to.deep.equal([0, 1, 2].map((id) => [`demo-${id}`, false, undefined]));
    });
  });

  describe('a growing cluster', () => {
    it('is drawn at every step, no wider than a terminal', async () => {
      const screens = plugin.start(['status', NAME, '--watch', '-n', NS]);
      await screens.until('the first screen', /Healthy {2}3 of 3 nodes ready[\s\S]*demo-2 +Active/);
      // A screen shows one moment, so the step has to last until it was drawn.
      const { kubelet } = world().testbed;
      kubelet.holdScheduling(({ namespace, name }) => namespace === NS && name === `${NAME}-3`);
      await fine(`scale ${NAME} 4`);
      await screens.until('a screen on the way', /(ScalingUp|Blocked)[\s\S]*demo-3 +(Pending|Starting|Joining)/);
      kubelet.holdScheduling(undefined);
      await screens.until('the last screen', /Healthy {2}4 of 4 nodes ready[\s\S]*demo-3 +Active/);
      expect(await screens.interrupt()).to.equal(0);
      const drawn = screens.text().split(/\n\n(?=live\/demo)/);
      expect(drawn.length).to.be.greaterThan(2);
      for (const screen of drawn) expect(screen).to.match(/^live\/demo {2}\w+ {2}\d of \d nodes ready\n/);
      expect(widest(screens.text()), screens.text()).to.be.at.most(COLUMNS);
    });
  });

  describe('a port forward, where nothing else leads to a member,', () => {
    it('gives top all figures', async () => {
      // As a process, since it starts other processes.
      const top = await plugin.run(['top', NAME, '--interval', '1', '-o', 'json', '-n', NS], far.kubeconfig);
      expect([top.code, top.err], top.out).to.deep.equal([0, '']);
      const { nodes } = JSON.parse(top.out);
      const ids = [...membersOf(world().testbed.kubelet, NS, NAME).keys()].sort();
      expect(
        nodes.map(({ node, unread, opsPerSecond }: Record<string, unknown>) => [node, unread, typeof opsPerSecond]),
      ).to.deep.equal(ids.map((id) => [`demo-${id}`, undefined, 'number']));
    });

    it('is opened by connect, carries commands and answers of a client, and ends with Ctrl-C', async () => {
      const connected = plugin.start(['connect', NAME, '-n', NS], far.kubeconfig);
      await connected.until('it says where', /redis-cli -h 127\.0\.0\.1 -p \d+/);
      const [, id, port] =
        /^demo-(\d) is reached through this machine until Ctrl-C\nredis-cli -h 127\.0\.0\.1 -p (\d+)$/.exec(
          connected.text(),
        ) ?? expect.fail(connected.text());
      const forwarded = { host: '127.0.0.1', respPort: Number(port) };
      const own = {
        host: membersOf(world().testbed.kubelet, NS, NAME).get(Number(id)) ?? expect.fail(`no demo-${id}`),
      };
      const large = 'x'.repeat(300_000);
      {
        await using there = await patientStore.session(forwarded);
        await using again = await patientStore.session(forwarded);
        await using directly = await patientStore.session(own);
        expect(await there.commands([['SET', 'through', large]])).to.deep.equal(['OK']);
        const read = await Promise.all([again, directly].map((session) => session.commands([['GET', 'through']])));
        const texts = read.map(([value]) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value));
        expect(texts.map((text) => text === large)).to.deep.equal([true, true]);
        expect(await there.commands([['DEL', 'through']])).to.deep.equal([1]);
      }
      expect(await connected.interrupt()).to.equal(0);
      const afterwards = await patientStore.session(forwarded).catch((error: unknown) => String(error));
      expect(afterwards).to.match(/nothing listens there/);
    });
  });

  describe('a terminal', () => {
    it('gets tables of at most 80 columns from every verb', async () => {
      const screens = await Promise.all(SCREENS.map((line) => fine(line, front.kubeconfig)));
      for (const out of screens) expect(widest(out), out).to.be.at.most(COLUMNS);
    });

    it('gets colours, unless NO_COLOR is set, TERM is dumb or the output goes elsewhere', async function () {
      if (!has('script')) this.skip();
      const drawn = async (env: Readonly<Record<string, string>>) => {
        const line = `script -qec 'stty cols ${COLUMNS}; kubectl mkv status ${NAME} -n ${NS}' /dev/null`;
        const { code, out } = await plugin.shell(line, { env: { TERM: 'xterm', ...env } });
        expect([code, out.includes('Healthy')], out).to.deep.equal([0, true]);
        return out.replaceAll('\r', '');
      };
      const coloured = await drawn({});
      expect(coloured).to.include('\u001b[32mHealthy\u001b[0m');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is taken off
      expect(widest(coloured.replace(/\u001b\[\d+m/g, '')), coloured).to.be.at.most(COLUMNS);
      for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) expect(await drawn(env)).to.not.include('\u001b[');
      expect(await fine(`status ${NAME}`)).to.not.include('\u001b');
    });
  });

  describe('a shell', () => {
    before(async () => {
      expect(await plugin.shell(FOR_KUBECTL)).to.include({ code: 0, err: '' });
    });

    for (const [shell, script] of Object.entries(COMPLETIONS).filter(([shell]) => has(shell))) {
      const name = shell === 'sh' ? 'kubectl itself' : shell;
      it(`completes verbs, flags, values and the names there are: ${name}`, async () => {
        const complete = async (...words: readonly string[]) => {
          const { out, err } = await plugin.shell(script(words), { shell });
          expect(err, words.join(' ')).to.equal('');
          return out.trim().split('\n').sort();
        };
        const answers = await Promise.all([
          complete('stat'),
          complete('completion', "''"),
          complete('status', '-n', NS, "''"),
          complete('remove', '-n', NS, 'demo-'),
          complete('volumes', '-o', "''"),
        ]);
        expect(answers).to.deep.equal([
          ['status'],
          ['bash', 'fish', 'kubectl', 'zsh'],
          [NAME],
          ['demo-0', 'demo-1', 'demo-2', 'demo-3'],
          ['json', 'wide', 'yaml'],
        ]);
        // kubectl does not pass flags on.
        if (shell !== 'sh') expect(await complete('status', '--wa')).to.deep.equal(['--watch']);
      });
    }
  });

  describe('a failure', () => {
    it('is told in one line with what to do: no kubeconfig, wrong context, server down, no CRDs, a near name', async () => {
      await writeFile(join(plugin.folder, 'down.json'), kubeconfigOf('https://127.0.0.1:1'));
      const ends: readonly (readonly [Promise<PluginResult>, number, RegExp])[] = [
        [
          plugin.shell('kubectl-mkv status', { env: { KUBECONFIG: '' } }),
          2,
          /no kubeconfig: .*Next: choose a file with --kubeconfig/,
        ],
        [
          mkv(`status ${NAME} --context there`),
          2,
          /no context named there; there are: .*Next: .*kubectl config get-contexts/,
        ],
        [mkv('status', join(plugin.folder, 'down.json')), 1, /could not connect: .*Next: .*kubectl cluster-info/],
        [mkv('status', withoutKinds.kubeconfig), 3, /404.*Next: install the definitions: kubectl apply -k config\/crd/],
        [mkv(`status ${NAME}`, withoutKinds.kubeconfig), 3, /Next: install the definitions/],
        [mkv('explain dmeo'), 3, /there is no cluster dmeo in namespace live\. Next: did you mean demo\?/],
        [mkv('remove demo1'), 3, /there is no MarekvsNode demo1 .*did you mean demo-1\?/],
        [mkv('scale demo 1'), 4, /Next: /],
        [
          mkv(`status ${NAME} --watch -o json`),
          2,
          /--watch is for people.*Next: kubectl get mkv,mkvnode --watch -o json/,
        ],
      ];
      for (const [ended, code, says] of ends) {
        const { code: is, out, err } = await ended;
        expect([is, out], err).to.deep.equal([code, '']);
        expect(err)
          .to.match(/^error: [^\n]*\n$/)
          .and.match(says);
      }
    });

    it('that is due to a missing StorageClass is named by the condition and by explain, which ends with 4', async () => {
      const { kube } = world();
      await kube.createCluster(NS, 'waiting', plainSpec(3, { storage: { size: '1Gi', className: 'absent' } }));
      const stalled = await kube.clusterUntil(
        NS,
        'waiting',
        'the missing class is said',
        ({ status }) =>
          status?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'StorageClassMissing') ===
          true,
      );
      const said = stalled.status?.conditions?.find(({ type }) => type === 'Stalled')?.message ?? '';
      expect(said).to.match(
        /^PersistentVolumeClaim data-waiting-\d has waited for its volume since .*Z: StorageClass absent does not exist/,
      );
      const { code, out } = await mkv('explain waiting');
      expect(code).to.equal(4);
      expect(out)
        .to.match(/1\. StorageClassMissing {2}waiting-\d/)
        .and.include('kubectl get storageclass');
      expect(widest(out), out).to.be.at.most(COLUMNS);
      await kube.deleteCluster(NS, 'waiting');
    });
  });
});

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}
