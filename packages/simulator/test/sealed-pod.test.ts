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

class World {
  readonly kube = new KubeWorld({ seed: 1 });

  makePod(name: string, probes: object, env: readonly object[] = []): void {
    const own = [
      { name: 'MAREKVS_NODE_ID', value: name.slice('demo-'.length) },
      { name: 'MAREKVS_ADVERTISE_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'MAREKVS_REPLICAS_N', value: '2' },
    ];
    const container = { name: 'marekvs', image: 'marekvs:test', env: [...own, ...env], ...probes };
    this.kube.server.create('pods', {
      metadata: { namespace: NAMESPACE, name },
      spec: {
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

  /** Deletes the target's Pod, and resolves with the seconds until it was gone. */
  async remove(graceSeconds?: number): Promise<number> {
    this.kube.server.remove('pods', { namespace: NAMESPACE, name: TARGET }, {}, graceSeconds);
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
});
