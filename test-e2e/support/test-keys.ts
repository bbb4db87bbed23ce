// The operator's test keys of one removal as its homes have them: there while it is proven, gone afterwards.
// Their form is the planner's (removal/canaries.ts), written down here a second time on purpose: journeys share no code with it.

import { PARTITIONS, partitionOfKey } from '@marekvs/api';
import type { Kubelet } from '@marekvs/testbed';
import { membersOf, readHomes } from './data.ts';

/** How many copies of an operation's test keys the homes hold at this moment. */
export async function countTestKeys(
  kubelet: Kubelet,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  operationId: string,
  replicationFactor = 2,
): Promise<number> {
  const members = membersOf(kubelet, namespace, name);
  const keys = TAGS.map((tag) => `\0mkv:${operationId}:{${tag}}`);
  const copies = await readHomes(members, [...members.keys()], keys, replicationFactor);
  return copies.filter(({ value }) => value === `mkv:${operationId}`).length;
}

/** The first short text of each partition. */
const TAGS: readonly string[] = findTags();

function findTags(): readonly string[] {
  const tags = new Map<number, string>();
  for (let tried = 0; tags.size < PARTITIONS; tried += 1) {
    const tag = tried.toString(36);
    const partition = partitionOfKey(tag);
    if (!tags.has(partition)) tags.set(partition, tag);
  }
  return [...tags.values()];
}
