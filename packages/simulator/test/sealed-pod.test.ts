// What the kubelets of the world make of a Pod with its door closed: it is drained by its own probes, in every life of
// its container, and ends within the grace period of its deletion.

import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { KubeWorld, type SimulatedMember } from '../src/index.ts';

const NAMESPACE = 'default';
const NODES = ['demo-0', 'demo-1', 'demo-2', 'demo-3'];
const TARGET = 'demo-3';

const probe = (path: string, periodSeconds: number) => ({
  httpGet: { path, port: 9121 },
  periodSeconds,
  failureThreshold: 60,
});
const open = {
  startupProbe: probe('/alive', 2),
  readinessProbe: probe('/ready', 2),
  livenessProbe: probe('/alive', 10),
};
const sealed = { ...open, startupProbe: probe('/drain', 1), readinessProbe: probe('/drain', 1) };
const closedDoor = [
  { name: 'MAREKVS_RESP_ADDR', value: '127.0.0.1:6379' },
  { name: 'MAREKVS_REQUIREPASS', value: 'that-nobody-is-told' },
];

interface Taint {
  readonly key: string;
  readonly effect: string;
}

class World {
  readonly kube = new KubeWorld({ seed: 1 });

  makePod(name: string, probes: object, env: readonly object[] = [], scheduling: object = {}): void {
    const own = [
      { name: 'MAREKVS_NODE_ID', value: name.slice('demo-'.length) },
      { name: 'MAREKVS_ADVERTISE_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'MAREKVS_REPLICAS_N', value: '2' },
    ];
    const container = { name: 'marekvs', image: 'marekvs:test', env: [...own, ...env], ...probes };
    this.kube.server.create('pods', {
      metadata: { namespace: NAMESPACE, name },
      spec: {
        ...scheduling,
        terminationGracePeriodSeconds: 60,
        containers: [container],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }],
      },
    });
  }

  makeClaim(name: string): void {
    this.kube.server.create('persistentvolumeclaims', {
      metadata: { namespace: NAMESPACE, name: `data-${name}` },
      spec: { resources: { requests: { storage: '1Gi' } } },
    });
  }

  isThere(name: string): boolean {
    return this.kube.server.find('pods', { namespace: NAMESPACE, name }) !== undefined;
  }

  isReady(name: string): boolean {
    return this.#life(name)?.isReady === true;
  }

  /** The target's own process; undefined while none runs. */
  get member(): SimulatedMember | undefined {
    const life = this.#life(TARGET);
    return life?.isRunning === true ? this.kube.network.member(life.processName) : undefined;
  }

  get host(): string {
    const host = this.#life(TARGET)?.host;
    if (host === undefined) throw new Error(`${TARGET} has no host`);
    return host;
  }

  killTarget(): void {
    this.kube.network.kill(this.#life(TARGET)?.processName ?? '');
  }

  /** Partitions in which any other member has the target first. */
  firstHomes(): number {
    const views = NODES.filter((name) => name !== TARGET).map((name) => {
      const { network } = this.kube;
      return network.member(this.#life(name)?.processName ?? '').view;
    });
    return Math.max(...views.map(({ placement }) => placement.owners.filter(([first]) => first === 3).length));
  }

  delete(graceSeconds?: number): void {
    this.kube.server.remove('pods', { namespace: NAMESPACE, name: TARGET }, {}, graceSeconds);
  }

  /** Deletes the target's Pod, and resolves with the seconds until it was gone. */
  async remove(graceSeconds?: number): Promise<number> {
    this.delete(graceSeconds);
    return (await this.until(() => !this.isThere(TARGET), 'the end of the Pod')) / 1_000;
  }

  until(isDone: () => boolean, what: string): Promise<number> {
    return this.kube.loop.until(isDone, 60_000, what);
  }

  #life(name: string) {
    return this.kube.kubelet.lives().find(({ ref }) => ref.name === name);
  }
}

describe('a Pod with its door closed', function () {
  this.timeout(30_000);
  let world: World;

  beforeEach(async () => {
    world = new World();
    for (const name of NODES) {
      world.makeClaim(name);
      world.makePod(name, open);
    }
    await world.until(() => NODES.every((name) => world.isReady(name)), 'four ready Pods');
    await world.kube.loop.advance(10_000);
    await world.remove();
    world.makePod(TARGET, sealed, closedDoor);
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
  });

  it('is drained by its own probes once a second, and soon first home in no list', async () => {
    let drains = 0;
    const { http } = world.kube.network;
    world.kube.network.http = (name, target, isRead) => {
      if (target === '/drain') drains += 1;
      return http.call(world.kube.network, name, target, isRead);
    };
    await world.kube.loop.advance(6_000);
    expect(drains).to.be.within(5, 7);
    for (let seconds = 0; seconds < 10; seconds += 1) {
      expect([world.member?.phase, world.firstHomes()]).to.deep.equal(['Leaving', 0]);
      await world.kube.loop.advance(1_000);
    }
  });

  it('is drained again when its kubelet restarts it, though nobody else asks for it', async () => {
    await world.kube.loop.advance(10_000);
    const before = world.member?.generation;
    world.killTarget();
    await world.until(() => world.member !== undefined && world.member.generation !== before, 'a new process');
    await world.kube.loop.advance(6_000);
    expect([world.member?.phase, world.firstHomes(), world.isReady(TARGET)]).to.deep.equal(['Leaving', 0, true]);
  });

  it('is killed at the end of the grace period of its deletion, and left alone takes nine seconds', async () => {
    await world.kube.loop.advance(5_000);
    expect(await world.remove(2)).to.be.within(2, 2.5);
    world.makePod(TARGET, sealed, closedDoor);
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
    await world.kube.loop.advance(5_000);
    expect(await world.remove()).to.be.within(9, 9.5);
  });

  it('is killed two seconds after it is deleted once more with that grace period', async () => {
    await world.kube.loop.advance(5_000);
    world.delete();
    await world.kube.loop.advance(1_000);
    expect(await world.remove(2)).to.be.within(2, 2.5);
  });

  /** The taints of the target's host once that is cordoned, and the Pod made again with these rules for its host. */
  async function cordonedAndMadeAgain(rules: (host: string, taints: readonly Taint[]) => object) {
    const { server } = world.kube;
    const host = world.host;
    server.patch('nodes', { name: host }, { spec: { unschedulable: true } });
    await world.kube.loop.advance(1_000);
    await world.remove();
    const taints = (server.find('nodes', { name: host })?.spec?.taints ?? []) as readonly Taint[];
    world.makePod(TARGET, sealed, closedDoor, rules(host, taints));
    return { host, taints };
  }
  const only = (host: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [host] }] });
  const bound = (host: string) => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [only(host)] } },
    },
  });
  const preferring = (host: string) => ({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: only(host) }],
      },
    },
  });

  it('runs on its cordoned host when it tolerates what that is tainted with and is bound to it', async () => {
    const { host, taints } = await cordonedAndMadeAgain((name, tolerated) => ({
      ...bound(name),
      tolerations: tolerated.map(({ key, effect }) => ({ key, operator: 'Exists', effect })),
    }));
    expect(taints).to.deep.equal([{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]);
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
    expect(world.host).to.equal(host);
  });

  it('has no host while it is bound to its cordoned one and tolerates nothing', async () => {
    const { host } = await cordonedAndMadeAgain(bound);
    await world.kube.loop.advance(10_000);
    expect(() => world.host).to.throw('no host');
    world.kube.server.patch('nodes', { name: host }, { spec: { unschedulable: null } });
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
    expect(world.host).to.equal(host);
  });

  it('goes back to the host that it prefers, and elsewhere when that is cordoned', async () => {
    const { host } = await cordonedAndMadeAgain(preferring);
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
    expect(world.host).to.not.equal(host);
    world.kube.server.patch('nodes', { name: host }, { spec: { unschedulable: null } });
    await world.kube.loop.advance(1_000);
    expect(world.kube.server.find('nodes', { name: host })?.spec?.taints ?? []).to.deep.equal([]);
    await world.remove();
    // With another Pod there, nothing but the preference speaks for this host.
    world.makeClaim('demo-4');
    world.makePod('demo-4', open, [], bound(host));
    await world.until(() => world.isReady('demo-4'), 'the other Pod');
    world.makePod(TARGET, sealed, closedDoor, preferring(host));
    await world.until(() => world.isReady(TARGET), 'a ready Pod');
    expect(world.host).to.equal(host);
  });
});
