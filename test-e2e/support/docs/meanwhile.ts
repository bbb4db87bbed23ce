// What happens around the reader of a page: `<!-- meanwhile: sentence -->`. Each sentence is one entry here; a page
// that needs another event adds one. Pods are named as kubectl shows them, all in the namespace default.

import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { type ClusterCondition, findCondition, type MarekvsCluster } from '@marekvs/api';
import { projectRoot } from '@marekvs/testbed';
import { eventually } from '../eventually.ts';
import { type Ledger, startLedger } from '../ledger.ts';
import type { World } from '../world.ts';

export interface Meanwhile {
  /** Resolves when it has happened. @throws Error for a sentence it does not know */
  happen(sentence: string): Promise<void>;
  /** Stops all clients that still write. */
  end(): Promise<void>;
}

interface Happening {
  readonly sentence: RegExp;
  happen(...words: readonly string[]): Promise<unknown>;
}

const NAMESPACE = 'default';
const WRITING_LIMIT_MS = 60_000;
const RESP_PORT = 6379;
const CONNECT_LIMIT_MS = 5_000;

export function createMeanwhile(world: World): Meanwhile {
  const { testbed } = world;
  const ledgers = new Map<string, Ledger>();
  const pinned = new Map<string, Socket>();
  const pod = (name: string): string => `${NAMESPACE}/${name}`;
  const ledgerOf = (name: string): Ledger => {
    const ledger = ledgers.get(name);
    if (ledger === undefined) throw new Error(`no clients write to ${name}`);
    return ledger;
  };

  const HAPPENINGS: readonly Happening[] = [
    { sentence: /^the operator starts$/, happen: () => testbed.startOperator() },
    { sentence: /^the operator stops$/, happen: () => testbed.operator.stop() },
    {
      // A colleague's mistake, or the cause of a disaster, of which the reader sees only the effect.
      sentence: /^somebody types kubectl (.+)$/,
      happen: (words = '') => world.kubectl(...words.split(' ')),
    },
    {
      // By the time of the transition and not by the state: a fast machine is Ready again before anybody asks.
      sentence: /^(\S+) stops being Ready because somebody types kubectl (.+)$/,
      async happen(name = '', words = '') {
        const before = readyOf(await world.kube.clusterUntil(NAMESPACE, name, `${name} is there`, () => true));
        await world.kubectl(...words.split(' '));
        await world.kube.clusterUntil(NAMESPACE, name, `${name} is not Ready, or was not`, (cluster) => {
          const ready = readyOf(cluster);
          return ready?.status !== 'True' || ready.lastTransitionTime !== before?.lastTransitionTime;
        });
      },
    },
    { sentence: /^the API server stops$/, happen: async () => testbed.controlPlane.signalApiServer('SIGKILL') },
    { sentence: /^the API server starts$/, happen: () => testbed.controlPlane.restartApiServer() },
    {
      sentence: /^clients write (\d+) keys a second to (\S+)$/,
      async happen(perSecond = '', name = '') {
        ledgers.set(name, await startLedger(world, { namespace: NAMESPACE, name, perSecond: Number(perSecond) }));
      },
    },
    {
      sentence: /^the clients of (\S+) have written (\d+) keys$/,
      happen: (name = '', keys = '') =>
        eventually(
          `${keys} acknowledged writes`,
          () => ledgerOf(name).acknowledged() >= Number(keys),
          WRITING_LIMIT_MS,
        ),
    },
    { sentence: /^the clients of (\S+) stop$/, happen: (name = '') => ledgerOf(name).stop() },
    {
      // Checks that every write acknowledged since the clients began is on every home of its key.
      sentence: /^the clients of (\S+) stop and find every write$/,
      async happen(name = '') {
        const nodes = (await world.kube.nodes(NAMESPACE)).filter(({ spec }) => spec.clusterName === name);
        await ledgerOf(name).check(nodes.map(({ spec }) => spec.nodeId));
      },
    },
    {
      // A member that leaves the Service keeps its connections: only the client itself can close this one.
      sentence: /^a client stays connected to (\S+)$/,
      async happen(name = '') {
        const ip = testbed.kubelet.pod(pod(name))?.ip;
        if (ip === undefined) throw new Error(`${name} has no address`);
        pinned.set(name, await connected(ip));
      },
    },
    { sentence: /^the client of (\S+) goes$/, happen: async (name = '') => pinned.get(name)?.destroy() },
    {
      // A reader follows one way to install or another; a test follows both.
      sentence: /^nothing is installed any more$/,
      async happen() {
        await world.kubectl('annotate', 'crd', '--all', 'marekvs.io/delete-kind=true');
        await world.kubectl('delete', '--ignore-not-found', '-k', join(projectRoot, 'config', 'overlays', 'default'));
      },
    },
    { sentence: /^member (\S+) freezes$/, happen: async (name = '') => testbed.kubelet.freeze(pod(name)) },
    { sentence: /^member (\S+) thaws$/, happen: async (name = '') => testbed.kubelet.thaw(pod(name)) },
    { sentence: /^member (\S+) dies$/, happen: async (name = '') => testbed.kubelet.kill(pod(name)) },
    {
      sentence: /^the host of (\S+) is lost$/,
      async happen(name = '') {
        await testbed.kubelet.vanishHost(testbed.kubelet.pod(pod(name))?.nodeName ?? '');
      },
    },
  ];

  return {
    async happen(sentence) {
      for (const { sentence: pattern, happen } of HAPPENINGS) {
        const [whole, ...words] = pattern.exec(sentence) ?? [];
        if (whole !== undefined) return void (await happen(...words));
      }
      throw new Error(`nobody knows how "${sentence}" happens`);
    },
    async end() {
      for (const socket of pinned.values()) socket.destroy();
      await Promise.all([...ledgers.values()].map((ledger) => ledger.stop()));
    },
  };
}

function readyOf({ status }: MarekvsCluster): ClusterCondition | undefined {
  return findCondition(status?.conditions, 'Ready');
}

async function connected(host: string): Promise<Socket> {
  const socket = createConnection({ host, port: RESP_PORT });
  // The connection may have ended with its member.
  socket.on('error', () => undefined);
  await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
  return socket;
}
