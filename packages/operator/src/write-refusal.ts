// Answers: the API server refused one of our writes; which reason of the catalogue is that, and can only a person clear it?
// Everything that is not a refusal (a conflict, a lost connection) stays an error and is tried again.

import { type Hold, hold } from '@marekvs/planner';
import { ApiError } from '@marekvs/runtime';

/** The refusal as something to show, or undefined when the error means "read again". */
export function refusalOf(error: unknown): Hold | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 403) return forbidden(error);
  if (error.status === 422 || error.status === 400) return hold('RequestInvalid', error.message, true);
  if (error.message.includes('database space exceeded')) return hold('StorageBackendFull', error.message, true);
  if (error.message.includes('failed calling webhook')) return hold('ApiUnavailable', error.message, false);
  return undefined;
}

function forbidden(error: ApiError): Hold {
  if (error.message.includes('exceeded quota')) return hold('QuotaExceeded', error.message, true);
  if (error.message.includes('being terminated')) return hold('NamespaceTerminating', error.message, false);
  if (/cannot [a-z]+ resource/.test(error.message)) return hold('Unauthorized', error.message, true);
  return hold('ForbiddenByPolicy', error.message, true);
}
