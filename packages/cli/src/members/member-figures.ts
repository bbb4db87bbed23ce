// Reads the figures of one member. Its port is behind the Pod network, so the API server's Pod proxy is tried first.
// The cluster's NetworkPolicy or the user's role may forbid that; then a port forward is made. A member on a loopback
// address is a process of this machine, to which no API server forwards. What cannot be read is `unread`, not guessed.

import { isIP } from 'node:net';
import { MEMBER_PORTS } from '@marekvs/api';
import type { Pod } from '@marekvs/runtime';
import {
  clientCommands,
  isYounger,
  type MemberMetrics,
  parseMetricsText,
  StoreProtocolError,
} from '@marekvs/store-client';
import type { Run } from '../connection/cli.ts';
import { failureOf } from '../connection/errors.ts';
import { readLines } from './lines.ts';

const LIMIT_MS = 4_000;
/** Ends a port forward that hangs. kubectl has to start first, which may take long on a busy machine. */
const FORWARD_LIMIT_MS = 60_000;
const MAX_CHARACTERS = 4 << 20;

export type MemberFigures =
  | { readonly kind: 'read'; readonly metrics: MemberMetrics; readonly atMs: number }
  | { readonly kind: 'unread'; readonly why: string };

type Way = (run: Run, pod: Pod, signal: AbortSignal) => Promise<string>;

export async function memberFigures(run: Run, pod: Pod): Promise<MemberFigures> {
  const ways: readonly Way[] = loopbackOf(pod) === undefined ? [throughProxy, throughForward] : [onThisMachine];
  const failures: string[] = [];
  for (const way of ways) {
    const limitMs = way === throughForward ? FORWARD_LIMIT_MS : LIMIT_MS;
    try {
      const signal = AbortSignal.any([run.ports.signal, AbortSignal.timeout(limitMs)]);
      const metrics = parseMetricsText(await way(run, pod, signal));
      return { kind: 'read', metrics, atMs: run.ports.nowMs() };
    } catch (error) {
      if (run.ports.signal.aborted) throw error;
      const why = error instanceof DOMException ? `no answer within ${limitMs / 1000} s` : reasonOf(error);
      failures.push(way === throughForward ? `by port forward: ${why}` : why);
    }
  }
  return { kind: 'unread', why: failures.join('; ') };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.constructor === Error ? error.message : failureOf(error).message;
}

/** The address of a Pod that is a process of this machine. */
export function loopbackOf({ status }: Pod): string | undefined {
  const address = status?.podIP ?? '';
  return isIP(address) === 4 && address.startsWith('127.') ? address : undefined;
}

const throughProxy: Way = async (run, { metadata }, signal) => {
  const { namespace, name } = metadata;
  const lines: string[] = [];
  let size = 0;
  await readLines(run, {
    path: `/api/v1/namespaces/${namespace}/pods/${name}:${MEMBER_PORTS.metrics}/proxy/metrics`,
    resource: 'pods/proxy',
    subject: `pods/proxy ${namespace}/${name}`,
    idleMs: LIMIT_MS,
    signal,
    onLine: (line) => {
      size += line.length;
      if (size > MAX_CHARACTERS) throw new StoreProtocolError('its metrics are too large');
      lines.push(line);
    },
  });
  return `${lines.join('\n')}\n`;
};

const throughForward: Way = async ({ ports, options }, { metadata }, signal) => {
  const { namespace = '', name = '' } = metadata;
  const forward = await ports.forward({ namespace, name, port: MEMBER_PORTS.metrics }, options, signal);
  try {
    return await ports.readHttp(`http://${forward.host}:${forward.port}/metrics`, MAX_CHARACTERS, signal);
  } finally {
    forward.close();
  }
};

const onThisMachine: Way = ({ ports }, pod, signal) =>
  ports.readHttp(`http://${loopbackOf(pod)}:${MEMBER_PORTS.metrics}/metrics`, MAX_CHARACTERS, signal);

/** Used share of the member's disk in percent; undefined while the member does not report it. */
export function diskPercentOf(figures: MemberFigures): number | undefined {
  if (figures.kind !== 'read' || !figures.metrics.isFresh) return undefined;
  const { diskTotalBytes, diskAvailBytes } = figures.metrics;
  const isKnown = diskTotalBytes !== undefined && diskAvailBytes !== undefined && diskTotalBytes > 0;
  return isKnown ? Math.round(100 * (1 - diskAvailBytes / diskTotalBytes)) : undefined;
}

/** Commands per second between two readings of one life; undefined when either is missing or the member restarted in
 *  between. */
export function rateBetween(first: MemberFigures, second: MemberFigures): number | undefined {
  if (first.kind !== 'read' || second.kind !== 'read' || isYounger(second.metrics, first.metrics)) return undefined;
  const commands = clientCommands(second.metrics) - clientCommands(first.metrics);
  const seconds = (second.atMs - first.atMs) / 1000;
  return commands < 0 || seconds <= 0 || !second.metrics.isFresh ? undefined : commands / seconds;
}
