// Who wrote what, by the audit log of the API server: every user, not only the operator.

import { readFile } from 'node:fs/promises';
import type { Testbed } from '@marekvs/testbed';

export interface WriteSeen {
  readonly user: string;
  readonly verb: string;
  /** `pods`, or `pods/status` for a subresource. */
  readonly resource: string;
  readonly name: string;
  readonly code: number;
}

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

interface AuditLine {
  readonly stage?: string;
  readonly verb?: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** All writes to a namespace so far, in order. */
export async function writesOfAll(testbed: Testbed, namespace: string): Promise<readonly WriteSeen[]> {
  const text = await readFile(testbed.controlPlane.auditLogPath, 'utf8');
  const lines = text.split('\n').filter((line) => line.includes(`"namespace":"${namespace}"`) && line.endsWith('}'));
  return lines.flatMap((line): readonly WriteSeen[] => {
    const { stage, verb = '', user, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (stage !== 'ResponseComplete' || !WRITE_VERBS.has(verb) || objectRef?.namespace !== namespace) return [];
    const { resource = '', subresource, name = '' } = objectRef;
    const full = subresource === undefined ? resource : `${resource}/${subresource}`;
    return [{ user: user?.username ?? '', verb, resource: full, name, code: responseStatus?.code ?? 0 }];
  });
}
