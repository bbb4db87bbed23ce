// Metrics of the fleet: how many clusters and members are in which state, and which are stuck on what, since when. The
// only metrics that name objects; fleet.ts limits how many.

import type { MarekvsCluster } from '@marekvs/api';
import { createMeters, keyOf } from '@marekvs/runtime';
import type { Gauge, Registry } from 'prom-client';
import type { FollowedMember } from '../members/sampler.ts';
import {
  countAnswers,
  countPhases,
  countProblems,
  DISK_SHOWN_FROM,
  diskUsed,
  type FleetSources,
  MAX_SERIES,
  stuckClusters,
  updatingClusters,
} from './fleet.ts';
import { createFleetZones, ONE_ZONE_SHOWN_FROM, zonesOf } from './fleet-zones.ts';

export interface FleetMetrics {
  /** From now on, reads these sources at every scrape. */
  observe(sources: FleetSources): void;
}

export function createFleetMetrics(registry: Registry, prefix: string): FleetMetrics {
  const meters = createMeters(registry);
  let sources: FleetSources | undefined;
  /** A gauge that is reset at every scrape, so that what has ended has no series. */
  function gauge(name: string, help: string, labelNames: string[], read: (from: FleetSources, into: Gauge) => void) {
    meters.gauge(`${prefix}${name}`, help, labelNames, (it) => {
      it.reset();
      if (sources !== undefined) read(sources, it);
    });
  }

  gauge('clusters', 'Clusters that this process manages, by phase', ['phase'], (from, into) => {
    for (const [phase, count] of countPhases(from)) into.set({ phase }, count);
  });
  gauge('clusters_stuck', 'Clusters that are not at their desired state, by problem', ['problem'], (from, into) => {
    for (const [problem, count] of countProblems(stuckClusters(from))) into.set({ problem }, count);
  });
  gauge(
    'cluster_stuck_since_timestamp_seconds',
    'Since when a cluster has not been at its desired state, and why; no series while it is',
    ['namespace', 'cluster', 'problem', 'reason'],
    (from, into) => {
      for (const { cluster, problems } of stuckClusters(from).slice(0, MAX_SERIES)) {
        for (const { kind, reason, sinceMs } of problems)
          into.set({ ...labelsOf(cluster), problem: kind, reason }, sinceMs / 1000);
      }
    },
  );
  gauge(
    'cluster_last_success_timestamp_seconds',
    'When a pass over a stuck cluster last ended without an error',
    ['namespace', 'cluster'],
    (from, into) => {
      for (const { cluster } of stuckClusters(from).slice(0, MAX_SERIES)) {
        const atMs = from.lastSuccessAtMs(keyOf(cluster.metadata));
        if (atMs !== undefined) into.set(labelsOf(cluster), atMs / 1000);
      }
    },
  );
  gauge(
    'operation_started_timestamp_seconds',
    'When the operation under way in a cluster began, with its phase',
    ['namespace', 'cluster', 'type', 'phase'],
    (from, into) => {
      let shown = 0;
      for (const cluster of from.clusters()) {
        const { operation } = cluster.status ?? {};
        if (operation === undefined || shown === MAX_SERIES) continue;
        shown += 1;
        const { type, phase, startedAt } = operation;
        into.set({ ...labelsOf(cluster), type, phase }, Date.parse(startedAt) / 1000);
      }
    },
  );
  gauge(
    'cluster_update_members',
    'Members of a cluster in which not all have the current template: how many have it, and how many are to have it',
    ['namespace', 'cluster', 'state'],
    (from, into) => {
      for (const { cluster, updated, total } of updatingClusters(from).slice(0, MAX_SERIES / 2)) {
        into.set({ ...labelsOf(cluster), state: 'updated' }, updated);
        into.set({ ...labelsOf(cluster), state: 'total' }, total);
      }
    },
  );
  gauge(
    'cluster_update_since_timestamp_seconds',
    'Since when members of a cluster have been restarted for a changed template; no series while that is paused or done',
    ['namespace', 'cluster'],
    (from, into) => {
      for (const { cluster, sinceMs } of updatingClusters(from).slice(0, MAX_SERIES / 2))
        if (sinceMs !== undefined) into.set(labelsOf(cluster), sinceMs / 1000);
    },
  );
  gauge(
    'turn_places',
    'Clusters that may restart members for a changed template, and clusters waiting in line for that',
    ['state'],
    (from, into) => {
      const { held, inLine } = from.turns();
      into.set({ state: 'held' }, held);
      into.set({ state: 'inLine' }, inLine);
    },
  );
  gauge(
    'turn_longest_wait_seconds',
    'How long the first cluster in line has waited to restart its members; 0 if none is in line',
    [],
    (from, into) => into.set(from.turns().longestWaitMs / 1000),
  );
  gauge('members', 'Members, by their last answer', ['answer'], (from, into) => {
    for (const [answer, count] of countAnswers(from)) into.set({ answer }, count);
  });
  gauge(
    'member_silent_since_timestamp_seconds',
    'Since when a member has not answered; no series while it does',
    ['namespace', 'cluster', 'node'],
    (from, into) =>
      perMember(from, into, ({ answer }) => (answer.kind === 'silent' ? answer.sinceMs / 1000 : undefined)),
  );
  gauge(
    'member_disk_used_ratio',
    `Used share of the disk of a member; no series below ${DISK_SHOWN_FROM}`,
    ['namespace', 'cluster', 'node'],
    (from, into) =>
      perMember(from, into, ({ metrics }) => {
        const used = diskUsed(metrics);
        return used !== undefined && used >= DISK_SHOWN_FROM ? used : undefined;
      }),
  );
  const zones = createFleetZones();
  gauge(
    'cluster_one_zone_ratio',
    `Share of the keys of a cluster all of whose homes are in one zone; no series below ${ONE_ZONE_SHOWN_FROM}, or while members are in a single zone`,
    ['namespace', 'cluster'],
    (from, into) => {
      for (const { namespace, cluster, share } of zones.oneZoneClusters([...from.nodes()]).slice(0, MAX_SERIES))
        into.set({ namespace, cluster }, share);
    },
  );
  gauge(
    'zones',
    'Zones in which members of the clusters that this process manages are known to run',
    [],
    (from, into) => into.set(zonesOf(from.nodes())),
  );

  return {
    observe(given) {
      sources = given;
    },
  };
}

function labelsOf({ metadata: { namespace, name } }: MarekvsCluster) {
  return { namespace, cluster: name };
}

/** One series for each member with a value, up to the limit. */
function perMember(from: FleetSources, into: Gauge, value: (member: FollowedMember) => number | undefined): void {
  let shown = 0;
  for (const member of from.members()) {
    const current = value(member);
    if (current === undefined || shown === MAX_SERIES) continue;
    shown += 1;
    const [namespace = '', cluster = ''] = member.clusterKey.split('/');
    into.set({ namespace, cluster, node: member.name }, current);
  }
}
