// The reasons of what the API server refuses, and of other programs that work against the operator.

import { NOTHING, normal, warning } from './reason-row.ts';

export const REFUSALS = {
  RequestInvalid: warning(
    'The API server rejects an object of ours as invalid.',
    'Correct the spec field named in the message; if it names none, report it.',
    { cause: 'object', refusal: 'object' },
  ),
  StorageBackendFull: warning('The API server cannot store writes.', 'Free space in etcd and clear its alarm.', {
    cause: 'installation',
    refusal: 'everything',
  }),
  ApiUnavailable: warning(
    'The API server or a webhook does not answer.',
    'Nothing to do here: the members serve on, and the operator continues afterwards.',
    { cause: 'installation', scope: 'cluster', refusal: 'passing' },
  ),
  QuotaExceeded: warning('A ResourceQuota refuses an object.', 'Raise the quota of the namespace, or ask for less.', {
    cause: 'object',
    refusal: 'object',
  }),
  NamespaceTerminating: normal('The namespace is being deleted, so nothing is created in it.', NOTHING, {
    cause: 'wholeCluster',
    scope: 'cluster',
    refusal: 'passing',
  }),
  Unauthorized: warning(
    'The operator lacks a permission.',
    'Install the RBAC shipped with this version; the message names the verb and the resource.',
    { cause: 'installation', refusal: 'object' },
  ),
  ForbiddenByPolicy: warning(
    'An admission policy or webhook refuses an object.',
    'Read the message of the policy; change the spec or the policy.',
    { cause: 'object', refusal: 'object' },
  ),
  DriftLoop: warning(
    'Another program changes an object back as often as we apply it.',
    'Find the webhook or controller that edits the object named in the message.',
    { cause: 'object', obstacle: 'own' },
  ),
} as const;
