// The four paths of :9121 (docs/design/server.md#http). The method is ignored, so any request to /drain drains.

import type { MetricSample } from '../basics/metrics-book.ts';
import type { ServedMember } from '../interfaces/served-member.ts';

export interface HttpAnswer {
  readonly status: 200 | 404 | 500 | 503;
  readonly contentType: string;
  readonly body: string;
  /** Instead of the body, where values were asked for. */
  readonly samples?: readonly MetricSample[];
}

const plain = (status: HttpAnswer['status'], body: string): HttpAnswer => ({ status, contentType: 'text/plain', body });

/** The answer to one request target, or undefined when the member never answers (knob). */
export function answerHttp(
  member: ServedMember,
  target: string,
  isRead?: (metric: string) => boolean,
): HttpAnswer | undefined {
  switch (target.split('?', 1)[0]) {
    case '/ready':
      return ready(member);
    case '/alive':
      return member.knobs.slowStore ? plain(503, 'shard threads unresponsive\n') : plain(200, 'alive\n');
    case '/drain':
      member.drain();
      return plain(200, 'draining\n');
    case '/metrics':
      return metrics(member, isRead);
    default:
      return plain(404, 'not found\n');
  }
}

/** The phase that the member's own view shows for its id: up to a tick late, and that of another process when two share
 *  an id (H3). */
function ready(member: ServedMember): HttpAnswer {
  const own = member.view.members.find((entry) => entry.id === member.settings.nodeId);
  const phase = member.knobs.reportsPhase ?? own?.phase;
  if (phase === 'Active' || phase === 'Leaving') return plain(200, 'ready\n');
  return plain(503, `not ready: ${phase === undefined ? 'None' : `Some(${phase})`}\n`);
}

function metrics(member: ServedMember, isRead?: (metric: string) => boolean): HttpAnswer | undefined {
  switch (member.knobs.metrics) {
    case 'hang':
      return undefined;
    case 'error':
      return plain(500, 'internal error\n');
    case 'garbage':
      return plain(200, '\u0000<html>marekvs_cluster_members NaN{{\n');
    case 'ok': {
      const body =
        isRead === undefined ? { body: member.renderMetrics() } : { body: '', samples: member.metricSamples(isRead) };
      return { status: 200, contentType: 'text/plain; version=0.0.4', ...body };
    }
  }
}
