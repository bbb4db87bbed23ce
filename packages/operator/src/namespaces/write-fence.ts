// Answers: may this request be sent? A write into a namespace that is not managed (any more) is refused here, whoever
// decided on it and when: work that was under way when the namespace was released ends without a trace. Missing
// permissions are reported for writes and for live reads of our own kinds, which precede every write. Permissions for
// other reads, such as of Secrets, may be missing for good.

import { GROUP } from '@marekvs/api';
import { type ApiRequest, GrantLostError, isForbidden, type Transport, type Verb } from '@marekvs/runtime';

const WRITES: ReadonlySet<Verb> = new Set<Verb>(['create', 'update', 'patch', 'delete']);

export interface WriteFence {
  readonly mayAct: (namespace: string) => boolean;
  /** A permission may have been removed there. */
  readonly onForbidden: (namespace: string, why: string) => void;
}

export function fenceWrites(transport: Transport, { mayAct, onForbidden }: WriteFence): Transport {
  return {
    ...transport,
    async request<T>(request: ApiRequest): Promise<T> {
      const isWrite = WRITES.has(request.verb);
      const namespace = isWrite || isOfOurs(request.path) ? namespaceOfPath(request.path) : undefined;
      if (namespace === undefined) return transport.request<T>(request);
      if (isWrite && !mayAct(namespace))
        throw new GrantLostError(`${request.verb} ${request.subject}: the namespace is not managed`);
      try {
        return await transport.request<T>(request);
      } catch (error) {
        if (lacksRight(error)) onForbidden(namespace, error.message);
        throw error;
      }
    },
  };
}

/** Quotas and policies refuse with the same status, but other messages. */
function lacksRight(error: unknown): error is Error {
  return isForbidden(error) && error instanceof Error && /\bUser "[^"]*" cannot \w+ resource\b/.test(error.message);
}

function isOfOurs(path: string): boolean {
  return path.startsWith(`/apis/${GROUP}/`);
}

/** From `/apis/apps/v1/namespaces/team-a/…`; undefined for cluster-scoped paths. */
function namespaceOfPath(path: string): string | undefined {
  return /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/namespaces\/([^/?]+)\/./.exec(path)?.[1];
}
