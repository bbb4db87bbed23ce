// How far a comparison is, as text for a person.

import type { ComparisonReport, DivergingRegisters, MissingRecords } from '../contents/request.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { countText } from '../values/hold.ts';

/** "1,412 of 4,096 partitions compared, 3 records missing on demo-2". */
export function progressText(report: ComparisonReport, nameOf: (nodeId: number) => string): string {
  const { partitionsDone, partitionsTotal } = report;
  const done = `${countText(partitionsDone)} of ${countText(partitionsTotal)} partitions compared`;
  const missing = missingText(report.missing, nameOf);
  return missing === undefined ? done : `${done}, ${missing}`;
}

/** "3 records of demo-4 missing on demo-2, and 1 on demo-1"; undefined when none is missing. */
export function missingText(
  missing: readonly MissingRecords[],
  nameOf: (nodeId: number) => string,
): string | undefined {
  const [first, ...more] = missing;
  if (first === undefined) return undefined;
  const text = `${records(first.records)} of ${nameOf(first.sourceId)} missing on ${nameOf(first.homeId)}`;
  const others = more.reduce((sum, each) => sum + each.records, 0);
  return others === 0 ? text : `${text}, and ${countText(others)} elsewhere`;
}

/** "27 HyperLogLog registers of 1 key"; undefined when none diverge. */
export function divergingText({ registers, keys }: DivergingRegisters): string | undefined {
  if (registers === 0) return undefined;
  const what = registers === 1 ? '1 HyperLogLog register' : `${countText(registers)} HyperLogLog registers`;
  return `${what} of ${keys === 1 ? '1 key' : `${countText(keys)} keys`}`;
}

/** Which member's contents could not be read, and why. A member may send an error of any length: it is cut when
 *  stored. */
export function unreadableText(
  { nodeId, error }: NonNullable<ComparisonReport['problem']>,
  nameOf: (nodeId: number) => string,
): string {
  return `the contents of ${nameOf(nodeId)} cannot be read: ${error}`;
}

/** Names of members for a person; a member that is not among these nodes is called by its number. */
export function namesIn(nodes: readonly Pick<NodeRecord, 'id' | 'name'>[]): (nodeId: number) => string {
  return (nodeId) => nodes.find(({ id }) => id === nodeId)?.name ?? `member ${nodeId}`;
}

function records(number: number): string {
  return number === 1 ? '1 record' : `${countText(number)} records`;
}
