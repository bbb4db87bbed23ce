// Clusters that cannot become Healthy, each for another reason, for journeys about the clusters beside them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MarekvsClusterSpec } from '@marekvs/api';
import { projectRoot, type Testbed } from '@marekvs/testbed';
import { load } from 'js-yaml';
import { eventually } from './eventually.ts';
import type { Kube } from './kube.ts';
import { plainSpec } from './specs.ts';

export const BAD_IMAGE: MarekvsClusterSpec = plainSpec(3, { image: 'ghcr.io/yannick/marekvs:missing' });
export const NO_HOST: MarekvsClusterSpec = plainSpec(3, { nodeSelector: { disk: 'none' } });
/** The shipped rules refuse it: see createStoredBefore. */
export const CROSSED_BOUNDS: MarekvsClusterSpec = plainSpec(3, {
  autoscale: { minNodes: 9, maxNodes: 8, targetOpsPerNode: 100 },
});

const CRD = join(projectRoot, 'crds', 'marekvsclusters.yaml');

/** Creates clusters as if they had been stored before today's rules: while the rules are out of the CRD. They
 *  are back when it resolves. */
export async function createStoredBefore(
  testbed: Testbed,
  kube: Kube,
  clusters: readonly { readonly namespace: string; readonly name: string; readonly spec: MarekvsClusterSpec }[],
): Promise<void> {
  const shipped = load(readFileSync(CRD, 'utf8'));
  await applyCrd(testbed, withoutRules(shipped));
  try {
    for (const { namespace, name, spec } of clusters) await createOnce(kube, namespace, name, spec);
  } finally {
    await applyCrd(testbed, shipped);
  }
}

type Loaded = Parameters<Testbed['apply']>[0][number];

async function applyCrd(testbed: Testbed, crd: unknown): Promise<void> {
  await testbed.apply([crd] as readonly Exclude<Loaded, string>[]);
}

/** The API server takes up a changed schema a moment after it has answered: until then the old rules refuse the
 *  object. */
async function createOnce(kube: Kube, namespace: string, name: string, spec: MarekvsClusterSpec): Promise<void> {
  await eventually(`${namespace}/${name} is taken`, async () => {
    await kube.createCluster(namespace, name, spec);
    return true;
  });
}

/** The value without any CEL rule at any depth. */
function withoutRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRules);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== 'x-kubernetes-validations');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutRules(inner)]));
}
