// What the operator wrote: the part of the audit log that assertions are about.

import type { AuditSummary } from '@marekvs/testbed';

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Bookkeeping that touches nothing of a cluster: leadership and what is said to people. */
const ASIDE: ReadonlySet<string> = new Set(['leases', 'events']);

/** Writes to a namespace, leases and events aside; `verb resource name` each, in order. */
export function writesTo(summary: AuditSummary, namespace: string): readonly string[] {
  return summary.requests
    .filter(
      (request) => request.namespace === namespace && WRITE_VERBS.has(request.verb) && !ASIDE.has(request.resource),
    )
    .map((request) => `${request.verb} ${request.resource} ${request.name}`);
}

/** What members and data rest on: a write to one of these can cost something. */
const VITAL = [' marekvsnodes ', ' pods ', ' persistentvolumeclaims '];

/** Writes to the nodes, Pods and volumes of a namespace, their status aside; `verb resource name` each, in order. */
export function actsOn(summary: AuditSummary, namespace: string): readonly string[] {
  return writesTo(summary, namespace).filter((write) => VITAL.some((resource) => write.includes(resource)));
}
