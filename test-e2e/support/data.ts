// Keys in a cluster: written through one member, read on every home of each, as the placement says they must be there.
// A home answers from its own store only (docs/design/server.md#reads), so an answer there is a copy there.

import { homesAt, parseNodeId, partitionOfKey, placementOf } from '@marekvs/api';
import type { StoreCommand } from '@marekvs/store-client';
import type { Kubelet } from '@marekvs/testbed';
import { eventually } from './eventually.ts';
import { patientStore as store } from './patient-store.ts';

const VALUE_PREFIX = 'value of ';

export interface Keys {
  /** Resolves when every key is on all its homes, which follow from `ids`.
   *  @throws Error naming some `key@id` that stayed missing */
  areOnHomes(ids: readonly number[], limitMs?: number): Promise<void>;
}

/** Writes `count` keys through the first ready member of a cluster and waits until they are on all their homes. */
export async function writeKeys(
  kubelet: Kubelet,
  cluster: { readonly namespace: string; readonly name: string; readonly ids: readonly number[] },
  prefix: string,
  count = 200,
  { replicationFactor = 2, limitMs }: { readonly replicationFactor?: number; readonly limitMs?: number } = {},
): Promise<Keys> {
  const names = await write(kubelet, cluster, prefix, count);
  const keys: Keys = {
    async areOnHomes(ids, limitMs) {
      let missing: readonly string[] = [];
      const look = async () => {
        missing = await missingCopies(
          membersOf(kubelet, cluster.namespace, cluster.name),
          ids,
          names,
          replicationFactor,
        );
        return missing.length === 0;
      };
      await eventually(`all keys ${prefix} are on all homes`, look, limitMs).catch((cause: unknown) => {
        throw new Error(`${missing.length} copies are missing, ${missing.slice(0, 5).join(' ')}`, { cause });
      });
    },
  };
  await keys.areOnHomes(cluster.ids, limitMs);
  return keys;
}

/** Writes `count` keys through the first ready member of a cluster.
 *  @returns their names */
export async function write(
  kubelet: Kubelet,
  cluster: { readonly namespace: string; readonly name: string },
  prefix: string,
  count: number,
): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const first = [...membersOf(kubelet, cluster.namespace, cluster.name).values()][0];
  if (first === undefined) throw new Error(`no member of ${cluster.namespace}/${cluster.name} is ready`);
  await using session = await store.session({ host: first });
  const replies = await session.commands(names.map((name): StoreCommand => ['SET', name, VALUE_PREFIX + name]));
  if (replies.some((reply) => reply !== 'OK')) throw new Error('a write was not acknowledged');
  return names;
}

/** Addresses of the ready members of a cluster by id. */
export function membersOf(kubelet: Kubelet, namespace: string, name: string): ReadonlyMap<number, string> {
  const members = new Map<number, string>();
  for (const pod of kubelet.pods()) {
    const [podNamespace, podName = ''] = pod.key.split('/');
    const id = parseNodeId(name, podName);
    if (podNamespace === namespace && id !== undefined && pod.ip !== undefined && pod.isReady) members.set(id, pod.ip);
  }
  return members;
}

async function missingCopies(
  members: ReadonlyMap<number, string>,
  ids: readonly number[],
  names: readonly string[],
  replicationFactor: number,
): Promise<readonly string[]> {
  const copies = await readHomes(members, ids, names, replicationFactor);
  return copies.filter(({ name, value }) => value !== VALUE_PREFIX + name).map(({ name, id }) => `${name}@${id}`);
}

/** What one home has of one key; undefined when it has nothing, or does not run. */
export interface Copy {
  readonly name: string;
  readonly id: number;
  readonly value: string | undefined;
}

/** Asks every home of every key for its copy. */
export async function readHomes(
  members: ReadonlyMap<number, string>,
  ids: readonly number[],
  names: readonly string[],
  replicationFactor: number,
): Promise<readonly Copy[]> {
  const placement = placementOf(ids, replicationFactor);
  const answers = ids.map(async (id): Promise<readonly Copy[]> => {
    const homed = names.filter((name) => homesAt(placement, partitionOfKey(name)).includes(id));
    const host = members.get(id);
    if (host === undefined) return homed.map((name) => ({ name, id, value: undefined }));
    await using session = await store.session({ host });
    const values = await session.commands(homed.map((name): StoreCommand => ['GET', name]));
    return homed.map((name, index) => ({ name, id, value: textOf(values[index]) }));
  });
  return (await Promise.all(answers)).flat();
}

/** What a member answered to GET; undefined when it had nothing. */
export function textOf(value: unknown): string | undefined {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
}
