// A Pod as if the member's container were the first: some injectors of sidecars put theirs before it, and a kubelet may
// report statuses in any order. Read as the member's, they would hide that it is sealed, its password and its restarts.

import type { Pod } from '@marekvs/runtime';
import { CONTAINER } from '../objects/pod.ts';

type Named = readonly { readonly name: string }[];

/** The Pod itself when there is nothing to change: also that of another operator, whose container may have any name. */
export function memberFirst(pod: Pod): Pod {
  const { spec, status } = pod;
  if (isFirst(spec?.containers) && isFirst(status?.containerStatuses)) return pod;
  return {
    ...pod,
    ...(spec === undefined ? {} : { spec: { ...spec, containers: inOrder(spec.containers) } }),
    ...(status?.containerStatuses === undefined
      ? {}
      : { status: { ...status, containerStatuses: inOrder(status.containerStatuses) } }),
  };
}

function isFirst(all: Named | undefined): boolean {
  return all === undefined || all[0]?.name === CONTAINER || !all.some(({ name }) => name === CONTAINER);
}

function inOrder<T extends { readonly name: string }>(all: readonly T[]): T[] {
  return [...all.filter(({ name }) => name === CONTAINER), ...all.filter(({ name }) => name !== CONTAINER)];
}
