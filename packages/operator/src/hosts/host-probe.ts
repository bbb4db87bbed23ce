// Probes the host of a Pod, and the hosts that could mount its volume instead. Reads only a few objects, by name or by
// the label that the volume names; never a list of all Nodes. The planner decides which host is lost.

import type { HostFinding } from '@marekvs/planner';
import {
  ifFound,
  isForbidden,
  type KubeClient,
  type Node,
  nodes,
  type PersistentVolume,
  persistentVolumes,
} from '@marekvs/runtime';
import { isBeingEmptied, isDrained } from './drain-taints.ts';

export type HostReader = Pick<KubeClient, 'get' | 'list'>;

export interface HostQuestion {
  readonly nodeUid: string;
  /** A changed text calls for another probe. */
  readonly podState: string;
  /** Undefined for a Pod that is on no host. */
  readonly hostName: string | undefined;
  readonly volumeName: string | undefined;
  /** The host is well and is to be left: only the other hosts count. */
  readonly isDrained: boolean;
}

/** The finding of one moment. `awayMs`: for how long the Node has reported that it is not ready. */
export interface HostProbe extends Pick<HostFinding, 'host' | 'state' | 'volume' | 'unknown'> {
  readonly awayMs: number | undefined;
  /** The Pod's own host is being drained. */
  readonly isDrained: boolean;
  /** Reading is forbidden, so that asking again soon is useless. */
  readonly isForbidden: boolean;
}

interface Call {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Keys of taints that mean, like a cordon, that a host is drained. @default none */
  readonly taints?: ReadonlySet<string>;
}

type Readiness = Pick<HostProbe, 'state' | 'awayMs'>;

const NONE: ReadonlySet<string> = new Set();
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';
const READY: Readiness = { state: 'ready', awayMs: undefined };
const GONE: Readiness = { state: 'gone', awayMs: undefined };

/** Throws only for an abort. A failed or forbidden read gives state `unknown`. */
export async function probeHost(
  client: HostReader,
  question: HostQuestion,
  nowMs: number,
  call: Call,
): Promise<HostProbe> {
  try {
    return await probe(client, question, nowMs, call);
  } catch (error) {
    call.signal.throwIfAborted();
    const forbidden = isForbidden(error);
    const why = forbidden ? 'the operator may not read Nodes or PersistentVolumes' : 'the API server gave no answer';
    return unknownHost(question, why, forbidden);
  }
}

async function probe(client: HostReader, question: HostQuestion, nowMs: number, call: Call): Promise<HostProbe> {
  const { hostName, volumeName } = question;
  const { taints = NONE } = call;
  const live = hostName === undefined ? undefined : await ifFound(client.get(nodes, { name: hostName }, call));
  const own = hostName === undefined ? undefined : readiness(live, nowMs);
  const known = { unknown: undefined, isForbidden: false, isDrained: live !== undefined && isDrained(live, taints) };
  if (own?.state === 'ready' && !question.isDrained)
    return { ...known, ...own, host: hostName ?? '', volume: 'unknown' };
  const unseen = (why: string) => ({ ...unknownHost(question, why, false), ...own, isDrained: known.isDrained });
  if (volumeName === undefined) return unseen('its claim names no volume');
  const places = await placesOf(client, volumeName, call);
  if (typeof places === 'string') return unseen(places);
  const host = hostName ?? places.text;
  if (places.hosts === 'many') return { ...known, ...(own ?? READY), host, volume: 'movable' };
  const isMeant = (one: Node) =>
    !question.isDrained || (one.metadata.name !== hostName && !isBeingEmptied(one, taints));
  const others = places.hosts.filter(isMeant).map((one) => readiness(one, nowMs));
  if (others.some(({ state }) => state === 'ready')) return { ...known, ...(own ?? READY), host, volume: 'movable' };
  return { ...known, ...(own ?? leastAway(others)), host, volume: 'bound' };
}

function unknownHost({ hostName }: HostQuestion, unknown: string, forbidden: boolean): HostProbe {
  return {
    host: hostName ?? 'of its volume',
    state: 'unknown',
    awayMs: undefined,
    volume: 'unknown',
    unknown,
    isDrained: false,
    isForbidden: forbidden,
  };
}

/** A host without a Ready condition is not known to be away. */
function readiness(host: Node | undefined, nowMs: number): Readiness {
  if (host === undefined) return GONE;
  const ready = host.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return READY;
  const isCalledOff = host.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
  const sinceMs = Date.parse(ready.lastTransitionTime ?? '');
  const awayMs = Number.isNaN(sinceMs) ? undefined : Math.max(0, nowMs - sinceMs);
  return { state: isCalledOff ? 'outOfService' : 'notReady', awayMs };
}

/** The host that is most likely to come back counts for all. */
function leastAway(all: readonly Readiness[]): Readiness {
  const notReady = all.filter(({ state }) => state === 'notReady');
  const [first] = notReady.length > 0 ? notReady.toSorted((a, b) => (a.awayMs ?? 0) - (b.awayMs ?? 0)) : all;
  return first ?? GONE;
}

interface Places {
  readonly hosts: readonly Node[] | 'many';
  /** The places that the volume itself names. */
  readonly text: string;
}

type Terms = readonly Term[];
type Term = NonNullable<
  NonNullable<NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']>['required']>['nodeSelectorTerms']
>[number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** The hosts that could mount a volume, or why that is not known. */
async function placesOf(client: HostReader, volumeName: string, call: Call): Promise<Places | string> {
  const volume = await ifFound(client.get(persistentVolumes, { name: volumeName }, call));
  if (volume === undefined) return `PersistentVolume ${volumeName} is not there`;
  const terms: Terms | undefined = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
  const text = (terms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ values = [] }) => values),
  );
  if (terms === undefined || terms.some(isOfZone)) return { hosts: 'many', text: text.join(', ') || volumeName };
  const found: Node[] = [];
  for (const term of terms) {
    const selector = selectorOf(term);
    if (selector === undefined)
      return `PersistentVolume ${volumeName} has a node affinity that the operator cannot evaluate`;
    found.push(...(await client.list(nodes, { ...selector, ...call })).items);
  }
  return { hosts: found, text: text.join(', ') || volumeName };
}

/** A zone has many hosts, which need not be listed to know that. */
function isOfZone({ matchExpressions = [], matchFields = [] }: Term): boolean {
  const isZone = ({ key }: Requirement) => /[/](zone|region)$/.test(key);
  return matchFields.length === 0 && matchExpressions.length > 0 && matchExpressions.every(isZone);
}

/** The selector for the API server; undefined for a term that no selector can express. */
function selectorOf({
  matchExpressions = [],
  matchFields = [],
}: Term): { readonly labelSelector?: string; readonly fieldSelector?: string } | undefined {
  const labels = matchExpressions.map(requirementText);
  const fields = matchFields.map(fieldText);
  if (labels.includes(undefined) || fields.includes(undefined) || labels.length + fields.length === 0) return undefined;
  return {
    ...(labels.length === 0 ? {} : { labelSelector: labels.join(',') }),
    ...(fields.length === 0 ? {} : { fieldSelector: fields.join(',') }),
  };
}

function requirementText({ key, operator, values = [] }: Requirement): string | undefined {
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

function fieldText({ key, operator, values = [] }: Requirement): string | undefined {
  return operator === 'In' && values.length === 1 ? `${key}=${values[0]}` : undefined;
}
