// What the API server refused, counted as it happens and wherever it happens: by the reasons of the catalogue, and
// writes that only lost a race apart from them.

import {
  type ApiError,
  createMeters,
  isAlreadyExists,
  isConflict,
  type Metrics,
  type RequestInfo,
} from '@marekvs/runtime';
import { refusalOf } from '../write-refusal.ts';

/** For `createTransport`. */
export type CountRefusal = (info: Pick<RequestInfo, 'verb' | 'resource'>, error: ApiError) => void;

export function createRefusalMetrics(metrics: Pick<Metrics, 'registry' | 'prefix' | 'writeConflicted'>): CountRefusal {
  const refused = createMeters(metrics.registry).counter(
    `${metrics.prefix}api_refusals_total`,
    'Requests the API server refused for a reason that does not pass by itself',
    ['resource', 'reason'],
  );
  return ({ verb, resource }, error) => {
    if (isAlreadyExists(error)) metrics.writeConflicted(resource, verb, 'exists');
    else if (isConflict(error)) metrics.writeConflicted(resource, verb, guardOf(error));
    else {
      const refusal = refusalOf(error);
      if (refusal !== undefined) refused.inc({ resource, reason: refusal.reason });
    }
  };
}

function guardOf(error: ApiError): 'uid' | 'resourceVersion' {
  const isUid = error.status === 422 || error.message.includes('UID in precondition');
  return isUid ? 'uid' : 'resourceVersion';
}
