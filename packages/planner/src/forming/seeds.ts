// The gossip addresses a member is started with, and when two lists of them are the same.

import { MEMBER_PORTS } from '@marekvs/api';
import type { NodeRecord } from '../observation/node-record.ts';

/** `ip:port` of every node whose Pod has an address, in a fixed order so that equal members give equal lists. */
export function gossipAddresses(nodes: readonly NodeRecord[]): readonly string[] {
  return nodes.flatMap(({ pod }) => (pod?.ip === undefined ? [] : [`${pod.ip}:${MEMBER_PORTS.gossip}`])).sort();
}

export function sameSeeds(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((seed, index) => seed === b[index]);
}
