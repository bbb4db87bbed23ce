// Simulated members behind the real probe and the real sampler, a clock by hand.

import {
  type CallOptions,
  type MemberAddress,
  type MemberGlance,
  type MemberLine,
  type MemberMetrics,
  type MemberPoll,
  type StoreClient,
  StoreError,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { createManualClock } from '../../../runtime/test/support/manual-clock.ts';
import { createProbe } from '../../src/members/probe.ts';
import { type ClusterRates, createSampler, type Pace, type SampleTarget } from '../../src/members/sampler.ts';

export const KEY = 'default/demo';
export const BOOT = 1_767_225_600;

/** One member, as its two ports show it. */
interface Shown {
  id: number;
  generation: number;
  up: number;
  clients: number;
  /** The mesh connections that it counts, the operator's among them. */
  peers: number;
  members: number;
  primaries: number;
  isJoining: boolean;
  isSilent: boolean;
  isWithoutFigures: boolean;
  /** How long its figures take. */
  slowMs: number;
  /** The changes of its list that it has counted. */
  epoch: number;
  commands: number;
  /** Of the slots that it shows. */
  slots: string;
}

/** @param onRate is called with every answer that may change the known load */
export function createSamplerRig(count = 1, onRate: (rates: ClusterRates) => void = () => {}) {
  const clock = createManualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const members = new Map<string, Shown>();
  for (let id = 0; id < count; id += 1)
    members.set(`10.0.0.${id + 1}`, {
      id,
      generation: BOOT,
      up: 100,
      clients: 0,
      peers: count - 1,
      members: count,
      primaries: 8,
      isJoining: false,
      isSilent: false,
      isWithoutFigures: false,
      slowMs: 0,
      epoch: 1,
      commands: 0,
      slots: '00000000000000aa',
    });
  const shown = (id = 0) => members.get(`10.0.0.${id + 1}`) as Shown;
  const find = ({ host }: MemberAddress): Shown => {
    const member = members.get(host);
    if (member === undefined || member.isSilent) throw new StoreUnreachableError('timeout', 'no answer');
    return member;
  };
  const figures = async (address: MemberAddress): Promise<MemberMetrics> => {
    const member = find(address);
    if (member.isWithoutFigures) throw new StoreUnreachableError('timeout', 'no answer');
    if (member.slowMs > 0) await clock.delay(member.slowMs);
    const { id, up, clients, peers } = member;
    const read: Partial<MemberMetrics> = {
      isFresh: true,
      nodeId: id,
      upSeconds: up,
      connectedClients: clients,
      meshPeers: peers,
      clusterMembers: member.members,
      ownedPartitions: 4_096,
      commandsTotal: member.commands,
    };
    return read as MemberMetrics;
  };
  const list = async (address: MemberAddress): Promise<readonly MemberLine[]> => {
    const member = find(address);
    const { id, generation, primaries, isJoining, slots } = member;
    if (isJoining) throw new StoreUnreachableError('refused', 'connection refused');
    const own = { id, generation, ip: address.host, respPort: 6379, gossipPort: 7946, myself: true };
    return [{ ...own, primarySlots: primaries, rangeCount: 1, slotsDigest: slots }];
  };
  const info = ({ generation, members, epoch }: Shown) => ({
    knownNodes: members,
    size: members,
    currentEpoch: epoch,
    myEpoch: generation,
  });
  const outcome = async <T>(work: Promise<T>) => {
    try {
      return { kind: 'answered' as const, value: await work };
    } catch (error) {
      if (error instanceof StoreError) return { kind: 'failed' as const, error };
      throw error;
    }
  };
  const store: Partial<Record<keyof StoreClient, unknown>> = {
    metrics: (address: MemberAddress, _options: CallOptions) => {
      asked.push('figures');
      return figures(address);
    },
    nodes: (address: MemberAddress) => {
      asked.push('list');
      return list(address);
    },
    glance: async (address: MemberAddress): Promise<MemberGlance> => {
      asked.push('glance');
      const member = find(address);
      if (member.isJoining) throw new StoreUnreachableError('refused', 'connection refused');
      return { nodeId: member.id, info: info(member), clients: member.clients + 1 };
    },
    poll: async (address: MemberAddress): Promise<MemberPoll> => {
      asked.push('both');
      const [metrics, nodes] = await Promise.all([outcome(figures(address)), outcome(list(address))]);
      const view =
        nodes.kind === 'answered'
          ? { kind: nodes.kind, value: { nodes: nodes.value, info: info(find(address)) } }
          : nodes;
      return { metrics, view: view as MemberPoll['view'] };
    },
  };
  const changes: string[] = [];
  const sampler = createSampler({
    probe: createProbe(store as StoreClient),
    onRate: (_key, rates) => onRate(rates),
    onChange: (key) => void changes.push(key),
    clock,
    random: () => 0.5,
  });
  const done = sampler.run(stop.signal);
  let isSealed = false;
  const podUid = (id: number) => (isSealed && id === 0 ? 'sealed-pod-0' : `pod-${id}`);
  const targets = (): readonly SampleTarget[] =>
    [...members].map(([ip, { id }]) => ({
      podUid: podUid(id),
      restartCount: 0,
      name: `demo-${id}`,
      nodeId: id,
      ip,
      isPodReady: true,
      isSealed: isSealed && id === 0,
    }));
  return {
    clock,
    sampler,
    asked,
    changes,
    shown,
    follow: (pace: Pace) => sampler.follow(KEY, targets(), pace),
    sample: (id = 0) => sampler.sample({ uid: podUid(id), restartCount: 0 }),
    /** From now on the first one runs in another Pod, with its door closed. */
    seal() {
      isSealed = true;
    },
    facts(id = 0) {
      const facts = sampler.facts(KEY)[id];
      if (facts === undefined) throw new Error(`no facts about ${id}`);
      return facts;
    },
    /** What was asked in the time that passes. */
    async during(ms: number): Promise<readonly string[]> {
      asked.length = 0;
      await clock.run(ms);
      return [...asked];
    },
    async end() {
      stop.abort();
      await done;
      expect(clock.pendingTimers, 'timers after the stop').to.equal(0);
    },
  };
}
