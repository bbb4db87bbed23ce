// What a write of an operator would do if the API server carried it out now: to which object, and whether it is
// accepted. A write that fails its preconditions does nothing, however wrong its idea was.

import type { ApiMeta, ApiObject, MemoryApiServer } from '@marekvs/simulator';
import type { WriteCall } from './memory-transport.ts';

export interface Precondition {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The parts of a body that may end something. */
export interface WriteBody {
  readonly preconditions?: Precondition;
  readonly gracePeriodSeconds?: number;
  readonly metadata?: Partial<ApiMeta>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface WriteEffect {
  readonly verb: WriteCall['verb'];
  /** Without the subresource. */
  readonly resource: string;
  readonly name: string;
  readonly isStatus: boolean;
  readonly body: WriteBody;
  readonly on: Precondition;
  /** The existing object; undefined for a create. */
  readonly live: ApiObject | undefined;
}

/** Undefined when the API server refuses the write and nothing happens. */
export function effectOf(write: WriteCall, server: MemoryApiServer): WriteEffect | undefined {
  const { verb, name, namespace } = write;
  const [resource = '', subresource] = write.resource.split('/');
  const body = (write.body ?? {}) as WriteBody;
  const on: Precondition = (verb === 'delete' ? body.preconditions : body.metadata) ?? {};
  const live = server.find(resource, { ...(namespace === undefined ? {} : { namespace }), name });
  if (verb === 'create' ? live !== undefined : !meets(live, on)) return undefined;
  return { verb, resource, name, isStatus: subresource === 'status', body, on, live };
}

function meets(live: ApiObject | undefined, { uid, resourceVersion }: Precondition): boolean {
  if (live === undefined) return false;
  const { metadata } = live;
  return (
    (uid === undefined || uid === metadata.uid) &&
    (resourceVersion === undefined || resourceVersion === metadata.resourceVersion)
  );
}
