// The testbed itself with real programs, on which all other journeys rely.
// Own API server: it tests the start of the testbed itself.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient, isNotFound, type Pod, persistentVolumeClaims, pods as podKind } from '@marekvs/runtime';
import { createStoreClient, StoreAuthError } from '@marekvs/store-client';
import { type Manifest, projectRoot, startTestbed, stretched, type Testbed, withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from './support/eventually.ts';

const run = promisify(execFile);
const METRICS_PORT = 9121;
const PASSWORD = 'that-nobody-is-told';

interface MemberChange {
  readonly namespace?: string;
  readonly image?: string;
  readonly nodeSelector?: Record<string, string>;
  readonly withClaim?: boolean;
  readonly env?: readonly object[];
  /** Its door is closed: it serves no client, and its probes drain it. */
  readonly isSealed?: boolean;
}

function member(id: number, change: MemberChange = {}): Manifest[] {
  const name = `m-${id}`;
  const closedDoor = [
    { name: 'MAREKVS_RESP_ADDR', value: '127.0.0.1:6379' },
    { name: 'MAREKVS_REQUIREPASS', value: PASSWORD },
  ];
  const probe = (path: string) => ({ httpGet: { path, port: METRICS_PORT } });
  const [startup, readiness] = change.isSealed === true ? ['/drain', '/drain'] : ['/alive', '/ready'];
  const metadata = { name, labels: { app: 'm' } };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `data-${name}` },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      ...(change.nodeSelector === undefined ? {} : { nodeSelector: change.nodeSelector }),
      terminationGracePeriodSeconds: 30,
      volumes:
        change.withClaim === false ? [] : [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }],
      containers: [
        {
          name: 'marekvs',
          image: change.image ?? 'marekvs:1',
          volumeMounts: change.withClaim === false ? [] : [{ name: 'data', mountPath: '/data' }],
          ports: [{ name: 'metrics', containerPort: METRICS_PORT }],
          startupProbe: { ...probe(startup), periodSeconds: 1, failureThreshold: 60 },
          readinessProbe: { ...probe(readiness), periodSeconds: change.isSealed === true ? 1 : 2, failureThreshold: 1 },
          livenessProbe: { ...probe('/alive'), periodSeconds: 10, timeoutSeconds: 2 },
          lifecycle: { preStop: probe('/drain') },
          env: [
            { name: 'MAREKVS_NODE_ID', value: String(id) },
            { name: 'MAREKVS_ADVERTISE_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'MAREKVS_SEEDS', value: 'm-headless.default.svc:7946' },
            { name: 'MAREKVS_CLUSTER', value: 'm' },
            { name: 'MAREKVS_REPLICAS_N', value: '2' },
            { name: 'MAREKVS_DATA_DIR', value: '/data' },
            ...(change.isSealed === true ? closedDoor : []),
            ...(change.env ?? []),
          ],
        },
      ],
    },
  };
  return change.withClaim === false ? [pod] : [claim, pod];
}

const headless: Manifest & { readonly spec: object } = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'm-headless' },
  spec: {
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: { app: 'm' },
    ports: [{ name: 'gossip', port: 7946, protocol: 'UDP' }],
  },
};

describe('the testbed', () => {
  describe('with simulated members', () => {
    const testbed = withTestbed({ before, after }, { speed: 10 });

    async function read(name: string): Promise<Pod | undefined> {
      try {
        return await createClient(testbed().transport).get(podKind, { namespace: 'default', name });
      } catch (err) {
        if (isNotFound(err)) return undefined;
        throw err;
      }
    }

    async function remove(name: string): Promise<void> {
      const pod = await read(name);
      if (pod?.metadata.uid === undefined) throw new Error(`no Pod ${name}`);
      await createClient(testbed().transport).delete(
        podKind,
        { namespace: 'default', name },
        { uid: pod.metadata.uid },
      );
    }

    const state = (name: string) => testbed().kubelet.pod(`default/${name}`);
    const isReady = (name: string): boolean => state(name)?.isReady === true;

    before(async function () {
      this.timeout(60_000);
      await testbed().apply([headless, ...[0, 1, 2].flatMap((id) => member(id))]);
      await eventually('three members are ready', () => ['m-0', 'm-1', 'm-2'].every(isReady), 40_000);
    });

    it('gives each Pod an address, a host and a bound claim, and reports it Ready', async () => {
      const found = await eventually('m-0 is reported Ready', async () => {
        const pod = await read('m-0');
        return pod?.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true
          ? pod
          : undefined;
      });
      expect(found.status).to.include({ phase: 'Running', podIP: state('m-0')?.ip });
      expect(found.spec?.nodeName).to.match(/^host-\d$/);
      const claims = await createClient(testbed().transport).list(persistentVolumeClaims, { namespace: 'default' });
      expect(claims.items.map((one) => one.status?.phase)).to.deep.equal(['Bound', 'Bound', 'Bound']);
    });

    it('lets members find each other by the headless name', async () => {
      await eventually('m-1 knows three', async () => {
        const answer = await fetch(`http://${state('m-1')?.ip}:${METRICS_PORT}/metrics`, {
          signal: AbortSignal.timeout(stretched(5_000)),
        });
        return /^marekvs_cluster_members 3$/m.test(await answer.text());
      });
    });

    it('starts a killed member again on the same address and counts the restart', async () => {
      const ip = state('m-0')?.ip;
      testbed().kubelet.kill('default/m-0');
      await eventually('m-0 is ready again', () => state('m-0')?.restartCount === 1 && isReady('m-0'), 30_000);
      expect(state('m-0')?.ip).to.equal(ip);
      await eventually(
        'the restart is reported',
        async () => (await read('m-0'))?.status?.containerStatuses?.[0]?.restartCount === 1,
      );
    });

    it('restarts a frozen member once its liveness probe has failed', async () => {
      testbed().kubelet.freeze('default/m-1');
      await eventually('m-1 was restarted', () => (state('m-1')?.restartCount ?? 0) >= 1 && isReady('m-1'), 40_000);
    });

    it('keeps what a Pod wrote to its claim for the next Pod', async () => {
      const folder = testbed().kubelet.claimFolder('default', 'data-m-2') ?? '';
      await writeFile(join(folder, 'mark'), 'kept');
      const before = state('m-2');
      await remove('m-2');
      await eventually(
        'm-2 is gone',
        async () => (await read('m-2')) === undefined && state('m-2') === undefined,
        20_000,
      );
      await testbed().apply(member(2));
      await eventually('m-2 is back', () => isReady('m-2'), 30_000);
      expect(state('m-2')?.uid).not.to.equal(before?.uid);
      expect(await readFile(join(folder, 'mark'), 'utf8')).to.equal('kept');
    });

    it('runs a member with its door closed: drained by its probes, and reached by a port forward alone', async () => {
      await remove('m-2');
      await eventually('m-2 is gone', () => state('m-2') === undefined, 20_000);
      await testbed().apply(member(2, { isSealed: true }));
      await eventually('m-2 is ready', () => isReady('m-2'), 30_000);
      const host = state('m-0')?.ip ?? '';
      const sealed = { host: state('m-2')?.ip ?? '' };
      const store = createStoreClient();
      const line = await eventually('m-0 lists m-2 without slots', async () =>
        (await store.nodes({ host })).find(({ ip, primarySlots }) => ip === sealed.host && primarySlots === 0),
      );
      expect(line).to.include({ id: 2, respPort: 6379 });
      await eventually('m-2 itself knows three', async () => (await store.metrics(sealed)).clusterMembers === 3);
      expect(await store.nodes(sealed).catch((err: unknown) => err)).to.include({ reason: 'refused' });
      await using forward = await portForward(testbed(), 'm-2', 6379);
      const inside = { host: '127.0.0.1', respPort: forward.port };
      expect(await store.nodes(inside).catch((err: unknown) => err)).to.be.instanceOf(StoreAuthError);
      expect(await store.nodes({ ...inside, password: PASSWORD })).to.have.length(3);
    });

    it('leaves a Pod Pending whose node selector no host carries, with the reason', async () => {
      await testbed().apply(member(7, { nodeSelector: { disk: 'none' }, withClaim: false }));
      const pod = await eventually('m-7 is reported', async () => {
        const found = await read('m-7');
        return found?.status?.conditions?.[0] === undefined ? undefined : found;
      });
      expect(pod.status?.phase).to.equal('Pending');
      expect(pod.status?.conditions?.[0]).to.include({
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
      });
      await remove('m-7');
    });

    it('reports an image that cannot be pulled', async () => {
      await testbed().apply(member(8, { image: 'registry.local/does-not-exist:1', withClaim: false }));
      const reason = await eventually(
        'm-8 is reported',
        async () => (await read('m-8'))?.status?.containerStatuses?.[0]?.state?.waiting?.reason,
      );
      expect(reason).to.be.oneOf(['ErrImagePull', 'ImagePullBackOff']);
      await remove('m-8');
    });

    it('marks an evicted Pod Failed and does not run it again', async () => {
      await testbed().kubelet.evict('default/m-2');
      const pod = await eventually('m-2 is Failed', async () => {
        const found = await read('m-2');
        return found?.status?.phase === 'Failed' ? found : undefined;
      });
      expect(pod.status?.reason).to.equal('Evicted');
      expect(state('m-2')?.pid).to.equal(undefined);
    });

    it('drops the folder with its claim, once no Pod mounts it', async () => {
      const client = createClient(testbed().transport);
      const folder = testbed().kubelet.claimFolder('default', 'data-m-2') ?? '';
      const claim = await client.get(persistentVolumeClaims, { namespace: 'default', name: 'data-m-2' });
      await client.delete(
        persistentVolumeClaims,
        { namespace: 'default', name: 'data-m-2' },
        { uid: claim.metadata.uid },
      );
      await remove('m-2');
      await eventually(
        'the claim is gone',
        () => testbed().kubelet.claimFolder('default', 'data-m-2') === undefined,
        20_000,
      );
      await eventually('its folder is gone', () => !existsSync(folder));
    });

    it('counts the requests of one user, told apart from all others', async () => {
      const reader = await testbed().auditReader('testbed-admin');
      await read('m-0');
      await read('m-0');
      const { counts } = await eventually('both are in the log', async () => {
        const summary = await reader.read();
        return summary.total === 0 ? undefined : summary;
      });
      expect(counts.every((one) => one.resource === 'pods' && one.verb === 'get')).to.equal(true);
    });

    it('gives kubectl what it needs', async () => {
      const { controlPlane, kubeconfigs } = testbed();
      const { stdout } = await run(
        controlPlane.kubectlPath,
        ['--kubeconfig', kubeconfigs.admin, 'get', 'pods', '-o', 'name'],
        { timeout: stretched(20_000) },
      );
      expect(stdout).to.match(/^pod\/m-0$/m);
    });
  });

  describe('two at once', () => {
    let testbeds: Testbed[] = [];

    before(async function () {
      this.timeout(120_000);
      testbeds = await Promise.all([startTestbed({ runner: 'pause' }), startTestbed({ runner: 'pause' })]);
    });
    after(async function () {
      this.timeout(60_000);
      await Promise.all(testbeds.map((one) => one.stop()));
    });

    it('have servers, folders and addresses of their own', async () => {
      expect(new Set(testbeds.map(({ controlPlane }) => controlPlane.server)).size).to.equal(2);
      for (const one of testbeds) await one.apply(member(0));
      const ips = await eventually('both run m-0', () => {
        const found = testbeds.map(({ kubelet }) => kubelet.pod('default/m-0'));
        return found.every((pod) => pod?.isReady) ? found.map((pod) => pod?.ip) : undefined;
      });
      expect(new Set(ips).size).to.equal(2);
    });
  });

  describe('whose parent dies', () => {
    it('leaves nothing running when the process that started it is killed with SIGKILL', async function () {
      this.timeout(90_000);
      const script = `
        import { startTestbed } from '@marekvs/testbed';
        const testbed = await startTestbed();
        await testbed.apply(JSON.parse(process.env.MANIFESTS));
        const timer = setInterval(() => {
          const pid = testbed.kubelet.pod('default/m-0')?.pid;
          if (pid === undefined) return;
          clearInterval(timer);
          console.log(testbed.dir + ' ' + pid);
        }, 50);
        setInterval(() => undefined, 1000);`;
      const parent = spawn(process.execPath, ['--conditions=development', '--input-type=module', '-e', script], {
        cwd: join(projectRoot, 'test-e2e'),
        env: { ...process.env, MANIFESTS: JSON.stringify([headless, ...member(0)]) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
      const [dir = '', pid = ''] = line.trim().split(' ');
      expect(commandsNaming(dir)).to.have.length.at.least(3);
      parent.kill('SIGKILL');
      await eventually('all are gone', () => commandsNaming(dir).length === 0 && !isAlive(Number(pid)), 10_000);
      await run('rm', ['-rf', dir]);
    });
  });
});

/** `kubectl port-forward`, until it is disposed. */
async function portForward({ controlPlane, kubeconfigs }: Testbed, pod: string, port: number) {
  const args = ['--kubeconfig', kubeconfigs.admin, 'port-forward', `pod/${pod}`, `:${port}`];
  const child = spawn(controlPlane.kubectlPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    port: Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The command lines of living processes that name the folder. */
function commandsNaming(dir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(dir) ? [command] : [];
      } catch {
        return [];
      }
    });
}

/** A zombie has no command line any more: it is dead. */
function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}
