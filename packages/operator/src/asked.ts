// Everything that is asked of members and of the API server beside the passes. Each part remembers its answers, and
// requests a pass over the clusters or nodes that they concern.

import { roundRate } from '@marekvs/planner';
import type { AddOptions, KubeClient, Runnable, Transport } from '@marekvs/runtime';
import { createAutoscaleMemory } from './cluster/autoscale-memory.ts';
import { createAutoscalersAsked } from './cluster/autoscalers-asked.ts';
import { createGrowthWatch, createLoadWatch } from './cluster/load-watch.ts';
import { createComparisons } from './members/comparisons.ts';
import { createDrainedHosts } from './members/drained-hosts.ts';
import { createHostFindings } from './members/host-findings.ts';
import { createHostZones } from './members/host-zones.ts';
import { createHosts } from './members/hosts.ts';
import { createMemberPasswords } from './members/member-passwords.ts';
import { observedContents } from './members/observed-contents.ts';
import { createPasswords } from './members/passwords.ts';
import { createProbe } from './members/probe.ts';
import { createResizeSupport } from './members/resize-support.ts';
import { createSampler } from './members/sampler.ts';
import { createSecretWatches } from './members/secret-watches.ts';
import { createSecretsAsked } from './members/secrets-asked.ts';
import { createSelectedHosts } from './members/selected-hosts.ts';
import type { Caches } from './observation/caches.ts';
import type { Outside } from './outside.ts';
import type { Ports } from './ports.ts';
import { createRateNudges } from './rate-nudges.ts';
import type { Routes } from './routing.ts';

/** Where the answers go. */
interface Passes {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly caches: Caches;
  readonly routes: Routes;
  /** Request a pass over a cluster, or over a node. */
  readonly cluster: (key: string, add?: AddOptions) => void;
  readonly node: (key: string) => void;
}

export function createAsked(outside: Outside, passes: Passes) {
  const { store, clock, random } = outside;
  const { client, transport, caches, routes, cluster: reconcile } = passes;
  const passwords = createPasswords(client, clock);
  const secrets = createSecretsAsked({
    client,
    clock,
    // The node controller needs to know whether members can be given the password.
    onAnswer: (key) => routes.answers(key),
    onVersion(key, ref) {
      passwords.changed(ref);
      sampler.poke(key);
    },
  });
  const memberPasswords = createMemberPasswords(() => caches, passwords, secrets);
  const nudges = createRateNudges(clock);
  const sizes = createAutoscaleMemory();
  const loads = createLoadWatch(sizes, clock);
  const growths = createGrowthWatch(clock);
  const sampler = createSampler({
    probe: createProbe(store),
    figures: (address, signal) => store.metrics(address, { signal }),
    clock,
    random,
    onChange: routes.answers,
    onRate(key, rates) {
      const cluster = caches.clusters.store.get(key)?.object;
      if (loads.note(key, cluster, rates) !== undefined) reconcile(key);
      if (growths.isDue(key, cluster, () => sampler.facts(key))) reconcile(key);
      const shown = cluster?.status?.opsPerSecond ?? 0;
      if (rates.total === undefined || roundRate(rates.total) === shown) return;
      if (nudges.isDue(key)) reconcile(key, { priority: 'low' });
    },
    passwords: memberPasswords,
  });
  const contents = observedContents(outside.contents, sampler);
  const comparisons = createComparisons({ contents, clock, random, onProgress: reconcile });
  const taints = outside.drainTaints ?? new Set<string>();
  const hosts = createHosts({ client, clock, taints, onAnswer: reconcile });
  const drainedHosts = createDrainedHosts({
    transport,
    clock,
    taints,
    onProblem: outside.onProblem,
    onChange: routes.host,
    onSeen: routes.drains,
  });
  const selectedHosts = createSelectedHosts({ transport, clock, random, onChange: reconcile });
  const hostFindings = createHostFindings({ client, clock, taints, onAnswer: routes.answers });
  const hostZones = createHostZones({ client, clock, onAnswer: passes.node });
  const resizing = createResizeSupport({ client, clock, onAnswer: reconcile });
  const secretWatches = createSecretWatches({ transport, clock, random, onChange: secrets.doubt });
  const autoscalers = createAutoscalersAsked({ client, clock, onAnswer: reconcile });
  const runnables: readonly Runnable[] = [
    { name: 'sampler', run: sampler.run },
    { name: 'comparisons', run: comparisons.run },
    { name: 'hosts', run: hosts.run },
    { name: 'hostFindings', run: hostFindings.run },
    { name: 'hostZones', run: hostZones.run },
    { name: 'drainedHosts', run: drainedHosts.run },
    { name: 'selectedHosts', run: selectedHosts.run },
    { name: 'resizing', run: resizing.run },
    { name: 'secrets', run: secrets.run },
    { name: 'secret watches', run: secretWatches.run },
    { name: 'autoscalers', run: autoscalers.run },
  ];
  return {
    runnables,
    asked: {
      sampler,
      comparisons,
      hosts,
      drainedHosts,
      selectedHosts,
      hostFindings,
      hostZones,
      resizing,
      passwords,
      memberPasswords,
      secrets,
      secretWatches,
      autoscalers,
      sizes,
    } satisfies Partial<Ports>,
  };
}
