// What the API server in memory refuses, and with which message: unknown kinds, failed preconditions, foreign
// finalizers, field conflicts.

import { type ApiKind, findKind } from './api-kinds.ts';
import { type ApiObject, ApiRefusal } from './api-object.ts';

export interface ApiPrecondition {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** @throws ApiRefusal 404 for an unknown kind */
export function mustKnow(resource: string): ApiKind {
  const kind = findKind(resource);
  if (kind === undefined) throw new ApiRefusal(404, 'NotFound', 'the server could not find the requested resource');
  return kind;
}

/** Checks the version first, as the real API server does. */
export function mustMatch(live: ApiObject, on: ApiPrecondition, verb: 'update' | 'patch' | 'delete'): void {
  const { uid, resourceVersion, name } = live.metadata;
  const wanted = on.resourceVersion ?? '';
  if (wanted !== '' && wanted !== resourceVersion)
    throw new ApiRefusal(409, 'Conflict', `"${name}": the object has been modified; please apply your changes`);
  if (on.uid === undefined || on.uid === uid) return;
  const message = `Precondition failed: UID in precondition: ${on.uid}, UID in object meta: ${uid}`;
  if (verb !== 'patch') throw new ApiRefusal(409, 'Conflict', message);
  throw invalid(name, 'metadata.uid', 'field is immutable');
}

export function refuseNewFinalizers({ metadata }: ApiObject, finalizers: readonly string[]): void {
  const added = finalizers.filter((name) => metadata.finalizers?.includes(name) !== true);
  if (added.length === 0) return;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${added.join()}`;
  throw invalid(metadata.name, 'metadata.finalizers', why);
}

function invalid(name: string, field: string, message: string): ApiRefusal {
  const cause = { reason: 'FieldValueInvalid', message, field };
  return new ApiRefusal(422, 'Invalid', `"${name}" is invalid: ${field}: ${message}`, [cause]);
}

export function fieldConflict(paths: readonly string[]): ApiRefusal {
  const causes = paths.map((field) => ({
    reason: 'FieldManagerConflict',
    message: 'conflict with another manager',
    field,
  }));
  return new ApiRefusal(409, 'Conflict', `Apply failed with ${paths.length} conflicts: ${paths.join()}`, causes);
}
