// What the operator wrote: the part of the audit log that assertions are about.

import type { AuditRequest, AuditSummary } from '@marekvs/testbed';

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** Leases and events, which change no part of a cluster. */
const ASIDE: ReadonlySet<string> = new Set(['leases', 'events']);

/** Writes to a namespace, without leases and events; `verb resource name` each, in order. */
export function writesTo(summary: AuditSummary, namespace: string): readonly string[] {
  return summary.requests
    .filter(
      (request) => request.namespace === namespace && WRITE_VERBS.has(request.verb) && !ASIDE.has(request.resource),
    )
    .map((request) => `${request.verb} ${request.resource} ${request.name}`);
}

/** What members and their data depend on: a write to one of these can do harm. */
const VITAL = [' marekvsnodes ', ' pods ', ' persistentvolumeclaims '];

/** Writes to the nodes, Pods and volumes of a namespace, without their status; `verb resource name` each, in order. */
export function actsOn(summary: AuditSummary, namespace: string): readonly string[] {
  return writesTo(summary, namespace).filter((write) => VITAL.some((resource) => write.includes(resource)));
}

export function writesOf(requests: readonly AuditRequest[]): readonly AuditRequest[] {
  return requests.filter(({ verb }) => WRITE_VERBS.has(verb));
}

/** The writes in one line per kind, with the names of the objects. */
export function describeWrites(requests: readonly AuditRequest[]): string {
  const counts = Map.groupBy(
    writesOf(requests),
    ({ verb, resource, code }) => `${verb} ${resource}${code < 300 ? '' : ` (${code})`}`,
  );
  const names = (all: readonly AuditRequest[]): string =>
    [...Map.groupBy(all, ({ name }) => name)]
      .map(([name, same]) => `${name}${same.length > 1 ? ` x ${same.length}` : ''}`)
      .join(', ');
  return [...counts].map(([kind, all]) => `      ${all.length} x ${kind} (${names(all)})`).join('\n');
}
