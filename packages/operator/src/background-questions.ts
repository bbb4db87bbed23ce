// Everything that is asked of members and of the API server beside the passes. Each part remembers its answers, and
// requests a pass over the clusters or nodes that they concern.

import { roundRate } from '@marekvs/planner';
import type { AddOptions, KubeClient, Runnable, Transport } from '@marekvs/runtime';
import { createResizeSupport } from './api-server/resize-support.ts';
import type { Caches } from './caches/caches.ts';
import { createComparisons } from './comparisons/comparisons.ts';
import { observedContents } from './comparisons/observed-contents.ts';
import type { Outside } from './environment.ts';
import { createDrainedHosts } from './hosts/drained-hosts.ts';
import { createHostFindings } from './hosts/host-findings.ts';
import { createHostZones } from './hosts/host-zones.ts';
import { createHosts } from './hosts/hosts.ts';
import { createSelectedHosts } from './hosts/selected-hosts.ts';
import { createProbe } from './members/probe.ts';
import { createSampler } from './members/sampler.ts';
import type { Ports } from './pass/ports.ts';
import type { Routes } from './pass/routing.ts';
import { createMemberPasswords } from './secrets/member-passwords.ts';
import { createPasswords } from './secrets/passwords.ts';
import { createSecretWatches } from './secrets/secret-watches.ts';
import { createSecretsAsked } from './secrets/secrets-asked.ts';
import { createAutoscaleMemory } from './sizing/autoscale-memory.ts';
import { createAutoscalersAsked } from './sizing/autoscalers-asked.ts';
import { createGrowthWatch, createLoadWatch } from './sizing/load-watch.ts';
import { createRateNudges } from './sizing/rate-nudges.ts';

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
