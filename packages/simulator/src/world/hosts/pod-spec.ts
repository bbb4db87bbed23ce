// What a kubelet reads from a Pod: container, environment, probes; and the status it reports. Pure.

import type { Environment } from '../../member/settings/settings.ts';
import type { ApiObject, Json } from '../api-server/api-object.ts';
import type { Resources } from '../api-server/api-resize.ts';

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: string;
  readonly env?: readonly EnvEntry[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly httpGet?: { readonly path: string } } };
}

interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
  };
}

export interface Probe {
  readonly httpGet?: { readonly path: string };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

export function containerOf(pod: ApiObject): Container {
  const containers = (pod.spec?.containers ?? []) as readonly Container[];
  return containers[0] ?? { name: '' };
}

export function graceMsOf(pod: ApiObject): number {
  const own = pod.spec?.terminationGracePeriodSeconds;
  return (pod.metadata.deletionGracePeriodSeconds ?? (typeof own === 'number' ? own : 30)) * 1_000;
}

export function pullSecretsOf(pod: ApiObject): readonly string[] {
  const secrets = (pod.spec?.imagePullSecrets ?? []) as readonly { readonly name: string }[];
  return secrets.map(({ name }) => name);
}

/** Undefined while a Secret or one of its keys is missing: the container cannot be created. */
export function environmentOf(
  pod: ApiObject,
  ip: string,
  secretOf: (name: string) => Readonly<Record<string, string>> | undefined,
): Environment | undefined {
  const env: Record<string, string> = { HOSTNAME: pod.metadata.name };
  for (const { name, value, valueFrom } of containerOf(pod).env ?? []) {
    if (valueFrom?.secretKeyRef !== undefined) {
      const { name: secret, key } = valueFrom.secretKeyRef;
      const found = secretOf(secret)?.[key];
      if (found === undefined) return undefined;
      env[name] = Buffer.from(found, 'base64').toString('utf8');
    } else if (valueFrom?.fieldRef?.fieldPath === 'status.podIP') env[name] = ip;
    else env[name] = value ?? '';
  }
  return env;
}

/** From its setting, or from the host name as in the real server. */
export function nodeIdOf({ MAREKVS_NODE_ID, HOSTNAME = '' }: Environment): number {
  return Number(MAREKVS_NODE_ID ?? /-(\d+)$/.exec(HOSTNAME)?.[1] ?? 0);
}

/** Adds the server's own defaults, on which foreign Pods may rely; those of the network driver differ. */
export function asServerReads(env: Environment, ip: string): Environment {
  const isFound = env.MAREKVS_ADVERTISE_IP === 'auto';
  const defaults = { MAREKVS_CLUSTER: 'marekvs', MAREKVS_REPLICAS_N: '3' };
  return { ...defaults, ...env, ...(isFound ? { MAREKVS_ADVERTISE_IP: ip } : {}) };
}

/** What the kubelet knows of a Pod's container. */
export interface PodFacts {
  readonly ip: string | undefined;
  readonly isRunning: boolean;
  readonly isStarted: boolean;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly waiting: { readonly reason: string; readonly message: string } | undefined;
  readonly startedAt: string;
  /** The resources of the container and the state of a change. */
  readonly size: PodSize;
}

/** How far the host has come with a resize. */
export interface PodSize {
  readonly has: Resources;
  readonly change: { readonly type: string; readonly reason?: string; readonly message?: string } | undefined;
  readonly generation: number | undefined;
}

export function podStatus(pod: ApiObject, facts: PodFacts): Json {
  const truth = (isTrue: boolean) => (isTrue ? 'True' : 'False');
  const container = containerOf(pod);
  const hasRun = facts.isRunning || facts.restarts > 0;
  const running = { running: { startedAt: facts.startedAt } };
  return {
    ...(facts.size.generation === undefined ? {} : { observedGeneration: facts.size.generation }),
    phase: hasRun ? 'Running' : 'Pending',
    ...(facts.ip === undefined ? {} : { podIP: facts.ip, podIPs: [{ ip: facts.ip }] }),
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Initialized', status: 'True' },
      { type: 'ContainersReady', status: truth(facts.isReady) },
      { type: 'Ready', status: truth(facts.isReady) },
      ...(facts.size.change === undefined ? [] : [{ ...facts.size.change, status: 'True' }]),
    ],
    containerStatuses: [
      {
        name: container.name,
        image: container.image ?? '',
        ready: facts.isReady,
        started: facts.isStarted,
        restartCount: facts.restarts,
        ...(hasRun ? { resources: facts.size.has } : {}),
        state: facts.waiting === undefined ? running : { waiting: facts.waiting },
      },
    ],
  };
}
