// Figures of single clusters with real-timer members: one that is created, left alone, under load, or loses a Pod.
// Requests are counted in the audit log of the API server, for the operator's user.

import { createStoreClient } from '@marekvs/store-client';
import type { Testbed } from '@marekvs/testbed';
import { round } from '../support/figures.ts';
import type { Kube } from '../support/kube.ts';
import { startLoad } from '../support/load.ts';
import { settle } from '../support/settled.ts';
import { sampleSpec } from '../support/specs.ts';
import { describeWrites, writesOf } from '../support/written.ts';
import { type Figure, figure } from './figure.ts';

export interface World {
  readonly testbed: Testbed;
  readonly kube: Kube;
}

export interface FormingResult {
  readonly figures: readonly Figure[];
  /** The writes, one line per kind. */
  readonly writes: string;
  /** True when a status said Healthy while a Pod was not ready, or a member did not show all three as Active. */
  readonly isHealthyTooEarly: boolean;
}

/** Applies the sample and waits until it is Healthy. */
export async function measureForming({ testbed, kube }: World, namespace: string): Promise<FormingResult> {
  await kube.createNamespace(namespace);
  const audit = await testbed.auditReader();
  const appliedMs = performance.now();
  await kube.createCluster(namespace, 'demo', sampleSpec());
  await kube.healthy(namespace, 'demo', 3);
  const healthyMs = performance.now();
  const pods = (await kube.core.listNamespacedPod({ namespace })).items;
  const isReady = (pod: (typeof pods)[number]) =>
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
  const startedMs = Math.max(...pods.map((pod) => pod.status?.startTime?.getTime() ?? Number.NaN));
  const readyMs = Date.now() - startedMs;
  await settle(kube, namespace);
  const summary = await audit.read();
  const conflicts = writesOf(summary.requests).filter(({ code }) => code === 409).length;
  const views = await Promise.all(pods.map((pod) => createStoreClient().nodes({ host: pod.status?.podIP ?? '' })));
  const doAgree = views.every((view) => view.length === 3 && view.every((line) => line.primarySlots > 0));
  return {
    writes: describeWrites(summary.requests),
    isHealthyTooEarly: pods.length !== 3 || !pods.every(isReady) || !doAgree,
    figures: [
      figure('sample from apply to Healthy: writes', summary.writes - conflicts, '', 32, '35-49 requests'),
      figure(
        'sample from apply to Healthy: requests',
        summary.withoutWatchesAndLeases - conflicts,
        '',
        48,
        '35-49 requests',
      ),
      // The kubelet also writes to a Pod that starts, and which write comes first is chance, so conflicts have a limit
      // of their own.
      figure('sample from apply to Healthy: writes on an older version', conflicts, '', 3, '-'),
      figure('sample from apply to Healthy', round((healthyMs - appliedMs) / 1000), 's', 30, '0.17 s (none ready)'),
      figure('forming 3 members, from their Pods’ start', round(readyMs / 1000), 's', 15),
    ],
  };
}

/** How many windows are tried until no Pod changes in one. */
const WINDOWS = 3;

/** Requests of the operator for one idle and one loaded cluster in the same window. Both must be Healthy. On a machine
 *  that stalls, a probe of the kubelet fails, which costs writes, so such a window is followed by another one.
 *  @param meanwhile is done in each window */
export async function measureQuiet(
  { testbed, kube }: World,
  idle: string,
  busy: string,
  windowSeconds: number,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<readonly Figure[]> {
  const podVersions = async (): Promise<string> => {
    const lists = [idle, busy].map((namespace) => kube.core.listNamespacedPod({ namespace }));
    const pods = (await Promise.all(lists)).flatMap(({ items }) => items);
    return pods.map(({ metadata }) => `${metadata?.uid} ${metadata?.resourceVersion}`).join();
  };
  for (let window = 1; ; window += 1) {
    const before = await podVersions();
    const [figures] = await Promise.all([measureWindow(testbed, busy, windowSeconds), meanwhile()]);
    if ((await podVersions()) === before || window === WINDOWS) return figures;
  }
}

async function measureWindow(testbed: Testbed, busy: string, windowSeconds: number): Promise<readonly Figure[]> {
  const load = await startLoad(
    testbed.kubelet
      .pods()
      .filter((pod) => pod.key.startsWith(`${busy}/`))
      .flatMap((pod) => pod.ip ?? []),
    3_000,
  );
  const audit = await testbed.auditReader();
  await load.runFor(windowSeconds * 1000);
  const summary = await audit.read();
  const rate = await load.stop();
  const own = summary.requests.filter(({ verb, resource }) => verb !== 'watch' && resource !== 'leases');
  const perMinute = (count: number) => round((count * 60) / windowSeconds, 2);
  const ofBusy = own.filter((request) => request.namespace === busy).length;
  const rest = own.length - ofBusy;
  return [
    figure(`idle cluster: requests in ${windowSeconds} s`, rest, '', 0, '28 /min'),
    figure(`cluster under ${round(rate, 0)} commands/s: requests`, perMinute(ofBusy), '/min', 2, '2,820 /min'),
  ];
}

/** Deletes one Pod and waits until it is back on its volume and the cluster is Healthy. */
export async function measurePodLoss({ kube }: World, namespace: string): Promise<readonly Figure[]> {
  const name = 'demo-1';
  const before = await kube.core.readNamespacedPersistentVolumeClaim({ namespace, name: `data-${name}` });
  const old = await kube.core.readNamespacedPod({ namespace, name });
  const startMs = performance.now();
  await kube.core.deleteNamespacedPod({ namespace, name });
  await kube.until<PodLike>(`a new ready ${name}`, `/api/v1/namespaces/${namespace}/pods`, (pods) =>
    pods.some((pod) => pod.metadata?.name === name && pod.metadata.uid !== old.metadata?.uid && isPodReady(pod)),
  );
  await kube.healthy(namespace, 'demo', 3);
  const seconds = round((performance.now() - startMs) / 1000);
  const after = await kube.core.readNamespacedPersistentVolumeClaim({ namespace, name: `data-${name}` });
  const volumes = before.metadata?.uid === after.metadata?.uid ? 0 : 1;
  return [
    figure('deleted Pod back and Healthy', seconds, 's', 30),
    figure('volumes exchanged by a deleted Pod', volumes, '', 0),
  ];
}

interface PodLike {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isPodReady(pod: PodLike): boolean {
  return (
    pod.status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
  );
}
