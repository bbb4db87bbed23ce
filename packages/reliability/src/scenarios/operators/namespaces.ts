// A namespace is handed from one operator to another and back, in the middle of whatever is under way, and permissions
// there come late. An operator that has let go of it writes nothing, and none begins before all of its caches are
// complete.

import { OPERATOR_NAMESPACE } from '@marekvs/api';
import type { ApiRequest, ShareRules } from '@marekvs/runtime';
import type { Fate } from '../../fate/fate.ts';
import { rested, type Scenario } from '../../life/scenario.ts';
import { NAME, NAMESPACE } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperator,
} from '../../world/operator/operator-process.ts';

const CLUSTER = `${NAMESPACE}/${NAME}`;
const CONFIG_MAPS = 'configmaps';
const SETTINGS = ['first', 'second'] as const;
type Setting = (typeof SETTINGS)[number];
/** Within this time an operator knows that the namespace is no longer its own, however its streams are cut. */
const HEARD_MS = 60_000;
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

export const NAMESPACE_STORIES: readonly Scenario[] = [
  {
    name: 'namespace-handed-over',
    story:
      'A namespace goes from one operator to another and back while a node leaves and another joins: the one that has released it writes nothing.',
    async run(world, fate) {
      const hands = await twoOperators(world, fate);
      world.edit({ nodes: 3 });
      for (let turn = 0; turn < 6; turn += 1) {
        await world.advance(fate.between(200, 25_000));
        if (fate.random() < 0.3) hands.cutStreams();
        if (fate.random() < 0.2) hands.kill();
        hands.handOver(fate.between(0, 3_000));
      }
      await world.until(() => world.isHealthy(3), 900_000, '3 of 4 stay');
      hands.handOver(0);
      world.edit({ nodes: 4 });
      return { nodes: 4 };
    },
  },
  {
    name: 'namespace-midway',
    story:
      'A namespace is taken out in the middle of a pass that makes nodes, Pods and volumes, and given back a minute later.',
    async run(world, fate) {
      const hands = await twoOperators(world, fate);
      const usualLag = world.lagMs;
      world.lagMs = (resource) => (resource === CONFIG_MAPS ? 0 : usualLag(resource));
      let left = fate.whole(1, 12);
      world.fateOf = () => {
        left -= 1;
        if (left === 0) hands.restAndGoOn(60_000);
        return 'pass';
      };
      world.edit({ nodes: 7 });
      await world.advance(70_000);
      return { nodes: 7 };
    },
  },
  {
    name: 'namespace-rights',
    story:
      'A namespace goes to an operator without permissions in it while a node leaves: it does nothing there until it has them, and then continues.',
    async run(world, fate) {
      const hands = await twoOperators(world, fate);
      hands.rights(false);
      hands.handOver(0);
      world.edit({ nodes: 3 });
      await world.advance(fate.between(20_000, 60_000));
      const wasIdle = world.nodes().length === 4;
      hands.rights(true);
      return { nodes: 3, problem: () => (wasIdle ? undefined : 'somebody acted without rights') };
    },
  },
  {
    name: 'namespace-shared',
    story:
      'Two operators that share the clusters as a ring are told to release the namespace and to take it back while a node leaves; one of them dies.',
    async run(world, fate) {
      const hands = await twoOperators(world, fate, { kind: 'ring' });
      world.edit({ nodes: 3 });
      for (let turn = 0; turn < 4; turn += 1) {
        await world.advance(fate.between(500, 25_000));
        if (fate.random() < 0.4) hands.kill();
        hands.restAndGoOn(fate.between(0, 20_000));
      }
      await world.until(() => world.isHealthy(3), 900_000, '3 of 4 stay');
      world.edit({ nodes: 4 });
      return { nodes: 4 };
    },
  },
];

interface Hands {
  /** Moves the namespace out of one ConfigMap, and `pauseMs` later into the other. */
  handOver(pauseMs: number): void;
  /** Moves the namespace out of the ConfigMap, and `pauseMs` later into the same one. */
  restAndGoOn(pauseMs: number): void;
  cutStreams(): void;
  /** Kills the operator that manages it; another process follows. */
  kill(): void;
  rights(areThere: boolean): void;
}

/** @param rules for sharing, with one ConfigMap for both. Default: each is an installation of its own. */
async function twoOperators(world: MemberWorld, fate: Fate, rules?: ShareRules): Promise<Hands> {
  await rested(world, fate, 4);
  world.retireFirst();
  const settingOf = new Map<OperatorProcess, Setting>();
  const numberOf = new Map<OperatorProcess, Setting>();
  const notMeantSinceMs = new Map<Setting, number | undefined>();
  let hasRights = true;
  let turn = 0;

  function say(setting: Setting, isMeant: boolean): void {
    world.kube.transcript.add('user', `${isMeant ? 'names' : 'takes out'} the namespace in the ${setting} ConfigMap`);
    notMeantSinceMs.set(setting, isMeant ? undefined : world.nowMs);
    const name = nameOf(setting);
    const change = { metadata: {}, data: { namespaces: isMeant ? NAMESPACE : '' } };
    world.kube.server.patch(CONFIG_MAPS, { namespace: OPERATOR_NAMESPACE, name }, change);
  }

  function judge({ verb, path, resource }: ApiRequest, process: OperatorProcess): void {
    if (!WRITES.has(verb) || !path.includes(`/namespaces/${NAMESPACE}/`)) return;
    const setting = settingOf.get(process);
    const sinceMs = setting === undefined ? undefined : notMeantSinceMs.get(setting);
    const what = `${process.name} sends ${verb} ${resource}`;
    if (!process.owns(CLUSTER)) world.kube.violated(`${what} into a namespace that it does not manage`);
    if (sinceMs !== undefined && world.nowMs - sinceMs > HEARD_MS)
      world.kube.violated(`${what} a minute after the namespace was taken out`);
    const behind = Object.values(process.caches).filter(({ store }) => !store.hasSynced);
    if (behind.length > 0) world.kube.violated(`${what} before its caches are complete`);
  }

  for (const setting of SETTINGS) {
    const metadata = { namespace: OPERATOR_NAMESPACE, name: nameOf(setting) };
    const configMap = { metadata, data: { namespaces: setting === 'first' ? NAMESPACE : '' } };
    world.kube.server.create(CONFIG_MAPS, configMap);
    notMeantSinceMs.set(setting, setting === 'first' ? undefined : world.nowMs);
  }
  world.makeOperator = (options: OperatorProcessOptions) => {
    const living = [...numberOf].filter(([one]) => one.isAlive).map(([, setting]) => setting);
    const setting = SETTINGS.find((one) => !living.includes(one)) ?? 'first';
    const missingIn = () => (hasRights ? [] : ['list pods']);
    const from = rules === undefined ? setting : 'first';
    const process = startOperator({
      ...options,
      isGranted: true,
      namespaces: { from: nameOf(from), missingIn, onSend: judge },
      ...(rules === undefined ? {} : { sharing: { rules, ordinal: SETTINGS.indexOf(setting) } }),
    });
    numberOf.set(process, setting);
    settingOf.set(process, from);
    return process;
  };
  for (const _setting of SETTINGS) world.startOperator();
  await world.until(() => [...settingOf.keys()].some((one) => one.owns(CLUSTER)), 60_000, 'one manages the cluster');

  return {
    handOver(pauseMs) {
      const [from, to] = turn % 2 === 0 ? SETTINGS : ([SETTINGS[1], SETTINGS[0]] as const);
      turn += 1;
      say(from, false);
      world.kube.clock.after(pauseMs, () => say(to, true));
    },
    restAndGoOn(pauseMs) {
      say('first', false);
      world.kube.clock.after(pauseMs, () => say('first', true));
    },
    cutStreams() {
      fate.count('streamsCut');
      for (const one of settingOf.keys()) one.cutStreams();
    },
    kill() {
      const one = [...settingOf.keys()].find((process) => process.owns(CLUSTER));
      if (one === undefined) return;
      fate.count('operatorKilled');
      one.crash();
    },
    rights(areThere) {
      world.kube.transcript.add('user', areThere ? 'grants the rights' : 'takes the rights away');
      hasRights = areThere;
    },
  };
}

function nameOf(setting: Setting): string {
  return `which-${setting}`;
}
