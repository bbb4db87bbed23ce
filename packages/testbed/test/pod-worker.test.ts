import { ApiError } from '@marekvs/runtime';
import type { PodPlacement } from '@marekvs/simulator/scheduling';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock, type ManualClock } from '../../runtime/test/support/manual-clock.ts';
import type { KubeletApi } from '../src/kubelet/objects/kubelet-api.ts';
import type { Claim, Pod } from '../src/kubelet/objects/objects.ts';
import type { ResizeVerdict } from '../src/kubelet/pods/pod-resize.ts';
import { PodWorker } from '../src/kubelet/pods/pod-worker.ts';
import type { WorkerPorts } from '../src/kubelet/pods/worker-ports.ts';
import type { MemberExit, MemberSpec } from '../src/kubelet/runners/member-runner.ts';
import { createVolumes } from '../src/kubelet/volumes/volumes.ts';
import { claim, type PodChange, pod } from './builders.ts';

interface Status {
  readonly phase: string;
  readonly reason?: string;
  readonly podIP?: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string | null;
    readonly message: string | null;
  }[];
  readonly containerStatuses?: readonly {
    readonly ready: boolean;
    readonly restartCount: number;
    readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
    readonly state: {
      readonly waiting?: { readonly reason: string; readonly message?: string };
      readonly running?: object;
      readonly terminated?: object;
    };
    readonly lastState: { readonly terminated?: { readonly exitCode: number; readonly signal?: number } };
  }[];
}

/** A Pod's worker in surroundings in memory: only the worker and the files that it needs are real. */
class World {
  readonly clock: ManualClock = createManualClock();
  readonly log: string[] = [];
  readonly statuses: Status[] = [];
  readonly started: MemberSpec[] = [];
  placement: PodPlacement = { kind: 'node', nodeName: 'host-0' };
  verdict: ResizeVerdict = { kind: 'fits' };
  claims: Claim[] = [];
  isReady = true;
  startFails: Error | undefined;
  bindFails: Error | undefined;
  end: (exit: MemberExit) => void = () => undefined;
  ignoresTerm = false;

  create(change: PodChange = {}): PodWorker {
    return this.adopt(pod(change));
  }

  adopt(object: Pod): PodWorker {
    const worker = new PodWorker(object, this.ports());
    worker.update(object);
    return worker;
  }

  get last(): Status {
    const status = this.statuses.at(-1);
    if (status === undefined) throw new Error('no status was written');
    return status;
  }

  get container(): NonNullable<Status['containerStatuses']>[number] {
    const [status] = this.last.containerStatuses ?? [];
    if (status === undefined) throw new Error('no container status was written');
    return status;
  }

  condition(type: string): string | undefined {
    return this.last.conditions.find((one) => one.type === type)?.status;
  }

  private ports(): WorkerPorts {
    const note = (line: string): void => {
      this.log.push(line);
    };
    const api: KubeletApi = {
      bind: (_pod, nodeName) => {
        note(`bind ${nodeName}`);
        return this.bindFails === undefined ? Promise.resolve() : Promise.reject(this.bindFails);
      },
      patchPodStatus: (_pod, status) => {
        this.statuses.push(JSON.parse(JSON.stringify(status)));
        return Promise.resolve();
      },
      removePod: () => {
        note('remove');
        return Promise.resolve();
      },
      patchClaim: () => Promise.resolve(),
      patchClaimStatus: () => Promise.resolve(),
      readKeys: (kind, _namespace, name) =>
        Promise.reject(
          new ApiError({ verb: 'get', subject: `${kind} ${name}`, path: '', status: 404, reason: 'NotFound' }),
        ),
      createNode: () => Promise.resolve(),
      patchNode: () => Promise.resolve(),
      patchNodeStatus: () => Promise.resolve(),
      removeNode: () => Promise.resolve(),
      createVolume: () => Promise.resolve(),
      patchVolume: () => Promise.resolve(),
    };
    return {
      clock: this.clock,
      api,
      get: (host, port, path) => {
        if (path === '/drain') note(`GET ${host}:${port}${path}`);
        return Promise.resolve(this.isReady ? 200 : 503);
      },
      volumes: {
        ...createVolumes('/none'),
        mount: this.mount,
        removePod: () => Promise.resolve(note('remove folder')),
      },
      speed: 1,
      isLight: false,
      runnerFor: () => ({
        kind: 'process',
        start: (spec) => {
          if (this.startFails !== undefined) return Promise.reject(this.startFails);
          this.started.push(spec);
          note('start');
          return Promise.resolve({
            pid: 1,
            exited: new Promise<MemberExit>((resolve) => {
              this.end = resolve;
            }),
            signal: (signal) => {
              note(signal);
              if (signal === 'SIGKILL' || (signal === 'SIGTERM' && !this.ignoresTerm))
                this.end({ code: undefined, signal });
            },
          });
        },
        stop: () => Promise.resolve(),
      }),
      place: () => this.placement,
      judgeResize: () => this.verdict,
      hostIpOf: () => '127.9.254.1',
      takeAddress: () => '127.9.0.1',
      giveBackAddress: (address) => note(`free ${address}`),
      findClaim: (_namespace, name) => this.claims.find((one) => one.metadata.name === name),
      resolveName: () => undefined,
      onChanged: () => undefined,
      onProblem: (what) => note(`problem: ${what}`),
    };
  }

  /** The real folders without a disk. */
  private readonly mount: WorkerPorts['volumes']['mount'] = (object, findClaim) => {
    const wanted = (object.spec.volumes ?? []).flatMap((one) => one.persistentVolumeClaim?.claimName ?? []);
    const missing = wanted.find((name) => findClaim(name)?.status?.phase !== 'Bound');
    if (missing !== undefined)
      return Promise.resolve({ kind: 'missing', message: `persistentvolumeclaim "${missing}" is not bound` });
    return Promise.resolve({ kind: 'mounted', mounts: [] });
  };
}

const member = {
  readinessProbe: { httpGet: { path: '/ready', port: 9121 }, periodSeconds: 1, failureThreshold: 1 },
  lifecycle: { preStop: { httpGet: { path: '/drain', port: 9121 } } },
};
const deleted = (of: Pod, deletionGracePeriodSeconds = 30): Pod => ({
  ...of,
  metadata: { ...of.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds },
});

describe('a Pod on the local kubelet', () => {
  it('is bound, started and reported ready with one bind and one status write', async () => {
    const world = new World();
    world.create({ container: member });
    await world.clock.run(100);
    expect(world.log).to.deep.equal(['bind host-0', 'start']);
    expect(world.statuses).to.have.length(1);
    expect(world.last).to.include({ phase: 'Running', podIP: '127.9.0.1' });
    expect(
      ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => world.condition(type)),
    ).to.deep.equal(['True', 'True', 'True', 'True']);
  });

  const sized = (memory: string) => ({ resources: { requests: { cpu: '500m', memory }, limits: { memory } } });
  const conditionsOf = (world: World) =>
    world.last.conditions.flatMap(({ type, status, reason }) =>
      type.startsWith('PodResize') && status === 'True' ? [`${type} ${reason ?? ''}`.trim()] : [],
    );
  const memoryOf = (world: World) => world.container.resources?.limits?.memory;
  /** A running Pod that is to be resized from 1Gi to 2Gi. */
  async function resized(world: World): Promise<PodWorker> {
    const before = pod({ container: { ...member, ...sized('1Gi') } });
    const worker = world.adopt(before);
    await world.clock.run(100);
    const asked = pod({ uid: before.metadata.uid, container: { ...member, ...sized('2Gi') } });
    worker.update(asked);
    await world.clock.run(100);
    return worker;
  }

  it('is resized without a restart, and reports the resize while it runs and when it is done', async () => {
    const world = new World();
    const worker = await resized(world);
    expect([conditionsOf(world), memoryOf(world)]).to.deep.equal([['PodResizeInProgress'], '1Gi']);
    await world.clock.run(1_000);
    expect([conditionsOf(world), memoryOf(world)]).to.deep.equal([[], '2Gi']);
    expect(world.last.conditions).to.deep.include({ $patch: 'delete', type: 'PodResizeInProgress' });
    expect(worker.restartCount).to.equal(0);
    expect(world.log.filter((line) => line === 'start')).to.have.length(1);
  });

  it('defers a resize while its host is full, and is resized when there is room', async () => {
    const world = new World();
    world.verdict = { kind: 'Deferred', message: 'full' };
    await resized(world);
    await world.clock.run(60_000);
    expect([conditionsOf(world), memoryOf(world)]).to.deep.equal([['PodResizePending Deferred'], '1Gi']);
    world.verdict = { kind: 'fits' };
    await world.clock.run(10_000);
    expect([conditionsOf(world), memoryOf(world)]).to.deep.equal([[], '2Gi']);
  });

  it('refuses resources that its host can never have, and keeps its own', async () => {
    const world = new World();
    world.verdict = { kind: 'Infeasible', message: 'small' };
    const worker = await resized(world);
    world.verdict = { kind: 'fits' };
    worker.retryPlacement();
    await world.clock.run(60_000);
    expect([conditionsOf(world), memoryOf(world)]).to.deep.equal([['PodResizePending Infeasible'], '1Gi']);
  });

  it('causes no write while nothing changes', async () => {
    const world = new World();
    world.create({ container: member });
    await world.clock.run(600_000);
    expect(world.statuses).to.have.length(1);
  });

  it('stays Pending with the reason while no host can take it, and starts when one can', async () => {
    const world = new World();
    world.placement = { kind: 'unschedulable', message: '0/3 nodes are available.' };
    const worker = world.create({ container: member });
    await world.clock.run(10_000);
    worker.kick();
    await world.clock.run(10_000);
    expect(world.statuses).to.have.length(1);
    expect(world.last.phase).to.equal('Pending');
    expect(world.last.conditions[0]).to.include({
      type: 'PodScheduled',
      status: 'False',
      message: '0/3 nodes are available.',
    });
    world.placement = { kind: 'node', nodeName: 'host-0' };
    worker.kick();
    await world.clock.run(100);
    expect(world.condition('Ready')).to.equal('True');
  });

  it('waits for its claim to be bound', async () => {
    const world = new World();
    const worker = world.create({
      container: member,
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-demo-0' } }] },
    });
    await world.clock.run(1000);
    expect(world.container.state.waiting).to.deep.equal({
      reason: 'ContainerCreating',
      message: 'persistentvolumeclaim "data-demo-0" is not bound',
    });
    world.claims = [claim({ phase: 'Bound' })];
    worker.kick();
    await world.clock.run(5000);
    expect(world.condition('Ready')).to.equal('True');
  });

  it('reports CreateContainerConfigError while its Secret is missing', async () => {
    const world = new World();
    world.create({ container: { env: [{ name: 'P', valueFrom: { secretKeyRef: { name: 'auth', key: 'p' } } }] } });
    await world.clock.run(1000);
    expect(world.container.state.waiting).to.deep.equal({
      reason: 'CreateContainerConfigError',
      message: 'secret "auth" not found',
    });
  });

  it('reports ErrImagePull and then ImagePullBackOff for an image that does not exist', async () => {
    const world = new World();
    world.create({ container: { image: 'registry/does-not-exist:1' } });
    await world.clock.run(15_000);
    expect(world.statuses.map(({ containerStatuses }) => containerStatuses?.[0]?.state.waiting?.reason)).to.deep.equal([
      'ErrImagePull',
      'ImagePullBackOff',
    ]);
    expect(world.last.phase).to.equal('Pending');
  });

  it('reports why its program cannot be started, such as a full disk', async () => {
    const world = new World();
    world.startFails = new Error('ENOSPC: no space left on device, mkdir');
    world.create({ container: member });
    await world.clock.run(100);
    expect(world.container.state.waiting).to.deep.include({
      reason: 'RunContainerError',
      message: 'ENOSPC: no space left on device, mkdir',
    });
  });

  it('is restarted at once after the first end, and after 10 s with CrashLoopBackOff shown after the second', async () => {
    const world = new World();
    world.create({ container: member });
    await world.clock.run(5000);
    world.end({ code: 1, signal: undefined });
    await world.clock.run(1000);
    expect(world.container).to.deep.include({ restartCount: 1, ready: true });
    expect(world.container.lastState.terminated).to.include({ exitCode: 1 });
    world.end({ code: undefined, signal: 'SIGKILL' });
    await world.clock.run(9000);
    expect(world.container.state.waiting?.reason).to.equal('CrashLoopBackOff');
    expect(world.container.lastState.terminated).to.include({ exitCode: 137, signal: 9 });
    expect(world.condition('Ready')).to.equal('False');
    await world.clock.run(2000);
    expect(world.container).to.deep.include({ restartCount: 2, ready: true });
  });

  it('is restarted when its liveness probe has failed', async () => {
    const world = new World();
    world.create({
      container: { livenessProbe: { httpGet: { path: '/alive', port: 9121 }, periodSeconds: 10, failureThreshold: 3 } },
    });
    await world.clock.run(5000);
    world.isReady = false;
    await world.clock.run(30_000);
    expect(world.log).to.deep.equal(['bind host-0', 'start', 'SIGTERM', 'start']);
  });

  it('ends in this order when it is deleted: preStop, SIGTERM, object, folder', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    worker.update(deleted(worker.pod));
    await world.clock.run(1000);
    await worker.gone();
    expect(world.log.slice(2)).to.deep.equal([
      'GET 127.9.0.1:9121/drain',
      'SIGTERM',
      'remove',
      'free 127.9.0.1',
      'remove folder',
    ]);
  });

  it('is killed when its grace period is over, not one second before', async () => {
    const world = new World();
    world.ignoresTerm = true;
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    worker.update(deleted(worker.pod, 30));
    await world.clock.run(29_000);
    expect(world.log).not.to.include('SIGKILL');
    await world.clock.run(1000);
    expect(world.log.slice(-2)).to.deep.equal(['SIGKILL', 'remove']);
  });

  const probe = (path: string, periodSeconds: number) => ({
    httpGet: { path, port: 9121 },
    periodSeconds,
    failureThreshold: 60,
  });
  const sealed = {
    env: [{ name: 'MAREKVS_RESP_ADDR', value: '127.0.0.1:6379' }],
    startupProbe: probe('/drain', 1),
    readinessProbe: probe('/drain', 1),
    livenessProbe: probe('/alive', 10),
  };

  it('with its door closed has RESP on a loopback of its own, and is drained once a second in every life', async () => {
    const world = new World();
    world.create({ container: sealed });
    const drains = () => world.log.filter((line) => line === 'GET 127.9.0.1:9121/drain').length;
    await world.clock.run(10_000);
    expect(world.started[0]?.env).to.include({
      MAREKVS_RESP_ADDR: '127.9.127.1:6379',
      MAREKVS_METRICS_ADDR: '127.9.0.1:9121',
    });
    expect([drains(), world.container.ready]).to.deep.equal([12, true]);
    world.end({ code: 1, signal: undefined });
    await world.clock.run(10_000);
    expect([drains(), world.started.length]).to.deep.equal([24, 2]);
  });

  it('that is deleted with a grace period of two seconds is killed after these', async () => {
    const world = new World();
    world.ignoresTerm = true;
    const worker = world.create({ container: sealed, spec: { terminationGracePeriodSeconds: 60 } });
    await world.clock.run(1_000);
    worker.update(deleted(worker.pod, 2));
    await world.clock.run(1_999);
    expect(world.log.at(-1)).to.equal('SIGTERM');
    await world.clock.run(1);
    expect(world.log.slice(-2)).to.deep.equal(['SIGKILL', 'remove']);
  });

  it('that is deleted again with a shorter grace period is killed after that', async () => {
    const world = new World();
    world.ignoresTerm = true;
    const worker = world.create({ container: sealed, spec: { terminationGracePeriodSeconds: 60 } });
    await world.clock.run(1_000);
    worker.update(deleted(worker.pod, 60));
    await world.clock.run(5_000);
    worker.update(deleted(worker.pod, 2));
    await world.clock.run(1_999);
    expect(world.log.at(-1)).to.equal('SIGTERM');
    await world.clock.run(1);
    expect(world.log.slice(-2)).to.deep.equal(['SIGKILL', 'remove']);
  });

  it('that vanished from the API server leaves no running member behind', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    await worker.gone();
    expect(world.log.slice(2)).to.deep.equal(['SIGKILL', 'free 127.9.0.1', 'remove folder']);
  });

  it('stays Terminating while a test holds it', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    worker.holdTermination();
    worker.update(deleted(worker.pod));
    await world.clock.run(600_000);
    expect(world.log).not.to.include('remove');
    worker.releaseTermination();
    await world.clock.run(0);
    expect(world.log).to.include('remove');
  });

  it('that is evicted is Failed and not restarted', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    await worker.evict('Evicted', 'low on memory');
    await world.clock.run(600_000);
    expect(world.last).to.include({ phase: 'Failed', reason: 'Evicted' });
    expect(world.condition('Ready')).to.equal('False');
    expect(world.started).to.have.length(1);
  });

  it('on a host that is gone gets no more status writes', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    await world.clock.run(1000);
    worker.lose();
    worker.update(deleted(worker.pod));
    await world.clock.run(600_000);
    expect(world.statuses).to.have.length(1);
    expect(world.log.slice(2)).to.deep.equal(['SIGKILL']);
  });

  it('is not ready while a test wants that, whatever its probe answers', async () => {
    const world = new World();
    const worker = world.create({ container: member });
    worker.setNeverReady(true);
    await world.clock.run(60_000);
    expect(world.condition('Ready')).to.equal('False');
    worker.setNeverReady(false);
    await world.clock.run(100);
    expect(world.condition('Ready')).to.equal('True');
  });

  it('is bound at the next try when the API server did not answer', async () => {
    const world = new World();
    world.bindFails = new Error('reset');
    world.create({ container: member });
    await world.clock.run(1000);
    world.bindFails = undefined;
    await world.clock.run(2000);
    expect(world.log).to.deep.equal(['bind host-0', 'problem: run Pod default/demo-0', 'bind host-0', 'start']);
  });
});
