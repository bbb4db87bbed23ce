// Figures of one member, through the API server's Pod proxy: the members' own port is behind the Pod network, and the cluster's
// NetworkPolicy may keep even the proxy out, which is said and not guessed around.

import { MEMBER_PORTS } from '@marekvs/api';
import type { Pod } from '@marekvs/runtime';
import { type MemberMetrics, parseMetricsText, StoreProtocolError } from '@marekvs/store-client';
import type { Run } from '../cli.ts';
import { failureOf } from '../errors.ts';
import { readLines } from '../reading/lines.ts';

const LIMIT_MS = 4_000;
const MAX_CHARACTERS = 4 << 20;

export type MemberFigures =
  | { readonly kind: 'read'; readonly metrics: MemberMetrics; readonly atMs: number }
  | { readonly kind: 'unread'; readonly why: string };

export async function memberFigures(run: Run, { metadata }: Pod): Promise<MemberFigures> {
  const { namespace, name } = metadata;
  const lines: string[] = [];
  let size = 0;
  try {
    await readLines(run, {
      path: `/api/v1/namespaces/${namespace}/pods/${name}:${MEMBER_PORTS.metrics}/proxy/metrics`,
      resource: 'pods/proxy',
      subject: `pods/proxy ${namespace}/${name}`,
      idleMs: LIMIT_MS,
      signal: AbortSignal.any([run.ports.signal, AbortSignal.timeout(LIMIT_MS)]),
      onLine: (line) => {
        size += line.length;
        if (size > MAX_CHARACTERS) throw new StoreProtocolError('its metrics are too large');
        lines.push(line);
      },
    });
    return { kind: 'read', metrics: parseMetricsText(`${lines.join('\n')}\n`), atMs: run.ports.nowMs() };
  } catch (error) {
    if (run.ports.signal.aborted) throw error;
    return {
      kind: 'unread',
      why: error instanceof DOMException ? `no answer within ${LIMIT_MS / 1000} s` : failureOf(error).message,
    };
  }
}

/** Commands per second between two readings of one life; undefined when either is missing or the member restarted in between. */
export function rateBetween(first: MemberFigures, second: MemberFigures): number | undefined {
  if (first.kind !== 'read' || second.kind !== 'read') return undefined;
  const count = ({ commandsTotal, housekeepingCommandsTotal }: MemberMetrics) =>
    (commandsTotal ?? 0) - (housekeepingCommandsTotal ?? 0);
  const commands = count(second.metrics) - count(first.metrics);
  const seconds = (second.atMs - first.atMs) / 1000;
  return commands < 0 || seconds <= 0 || !second.metrics.isFresh ? undefined : commands / seconds;
}
