// Answers: were the test keys found on every home they have to be on? A report counts only for the very processes that are
// there now: whoever was restarted has to be asked again.

import { hold } from '../hold.ts';
import type { Witness } from './answers.ts';
import type { AuditReport } from './audit.ts';
import { type Check, failed, passed } from './checks.ts';

export interface AuditSubject {
  readonly kind: 'readBefore' | 'readAfter';
  readonly replicationFactor: number;
  readonly target: { readonly id: number; readonly name: string };
}

export function auditCheck(
  report: AuditReport | undefined,
  subject: AuditSubject,
  witnesses: readonly Witness[],
): Check {
  const name = 'canaries';
  const who = subject.target.name;
  if (report === undefined || !isAbout(report, subject, witnesses))
    return failed(
      name,
      'not read',
      hold('WaitingForProof', `${who}: waiting for its test keys to be read on every home`),
    );
  const count = report.request.partitions.length;
  if (report.state === 'complete' && report.doneAtMs !== undefined && report.missingCount === 0)
    return passed(name, `${count} test keys on every home`);
  const [first] = report.missing;
  if (first !== undefined) {
    const home = witnesses.find(({ node }) => node.id === first.nodeId)?.node.name ?? `member ${first.nodeId}`;
    const message = `${who}: the test key of partition ${first.partition} is missing on ${home}`;
    return failed(name, `${report.missingCount} of ${count} missing`, hold('CanaryMissing', message));
  }
  if (report.error !== undefined)
    return failed(name, 'not read', hold('CanaryMissing', `${who}: its test keys could not be read: ${report.error}`));
  return failed(name, 'being read', hold('WaitingForProof', `${who}: its test keys are being read on every home`));
}

function isAbout({ request }: AuditReport, subject: AuditSubject, witnesses: readonly Witness[]): boolean {
  return (
    request.kind === subject.kind &&
    request.targetId === subject.target.id &&
    request.replicationFactor === subject.replicationFactor &&
    request.partitions.length > 0 &&
    request.members.length === witnesses.length &&
    witnesses.every(({ node }) =>
      request.members.some((member) => member.nodeId === node.id && member.podUid === node.pod?.uid),
    )
  );
}
