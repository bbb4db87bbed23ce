// The resources a Pod asks for, and those that its host confirms.

import type { ApiObject } from '@marekvs/simulator';

type Amounts = Readonly<Record<string, string>>;

export interface Resources {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

interface Spec {
  readonly containers?: readonly { readonly resources?: Resources }[];
}

interface ContainerStatus {
  readonly image?: string;
  readonly restartCount?: number;
  readonly resources?: Resources;
}

interface Status {
  readonly containerStatuses?: readonly ContainerStatus[];
}

export function askedResources(pod: ApiObject | undefined): Resources {
  const { containers = [] }: Spec = pod?.spec ?? {};
  return containers[0]?.resources ?? {};
}

export function confirmedResources(pod: ApiObject | undefined): Resources {
  return statusOf(pod)?.resources ?? {};
}

export function confirmedImage(pod: ApiObject | undefined): string | undefined {
  return statusOf(pod)?.image;
}

export function restartsOf(pod: ApiObject | undefined): number | undefined {
  return statusOf(pod)?.restartCount;
}

/** CPU and memory in one text, for comparing. */
export function resourcesText({ requests, limits }: Resources): string {
  return `${requests?.cpu} ${requests?.memory} ${limits?.memory}`;
}

function statusOf(pod: ApiObject | undefined): ContainerStatus | undefined {
  const { containerStatuses = [] }: Status = pod?.status ?? {};
  return containerStatuses[0];
}
