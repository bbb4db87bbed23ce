// Answers: which reason of the catalogue is this refusal of the API server, and can only a person clear it? Everything
// else (a conflict, a lost connection) stays an error and is tried again.

import { REASONS, type Reason, reasonsWith } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import { ApiError } from '@marekvs/runtime';

/** Every reason that a refusal may have. */
export const REFUSAL_REASONS = reasonsWith(({ refusal }) => refusal !== undefined);

/** The refusal as a hold; undefined when the error means "read again". */
export function refusalOf(error: unknown): Hold | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const reason = reasonOf(error);
  return reason === undefined ? undefined : hold(reason, error.message, REASONS[reason].refusal !== 'passing');
}

/** The refusal as a hold. @throws the error itself when it is no refusal */
export function refusalIn(error: unknown): Hold {
  const refusal = refusalOf(error);
  if (refusal === undefined) throw error;
  return refusal;
}

function reasonOf({ status, message }: ApiError): Reason | undefined {
  if (status === 403) return forbidden(message);
  if (status === 422 || status === 400) return 'RequestInvalid';
  if (message.includes('database space exceeded')) return 'StorageBackendFull';
  return message.includes('failed calling webhook') ? 'ApiUnavailable' : undefined;
}

function forbidden(message: string): Reason {
  if (message.includes('exceeded quota')) return 'QuotaExceeded';
  if (message.includes('being terminated')) return 'NamespaceTerminating';
  return /cannot [a-z]+ resource/.test(message) ? 'Unauthorized' : 'ForbiddenByPolicy';
}
