// The first Pod of a cluster with a spec, as the operator creates it.

import { type MarekvsClusterSpec, withDefaults } from '@marekvs/api';
import { CLUSTER_UID } from '../../../planner/test/support/builders.ts';
import { buildPod } from '../../src/objects/pod.ts';
import { nodeTemplate } from '../../src/objects/template.ts';
import { IDENTITY, nodeObject } from './objects.ts';

export function podOfSpec(spec: MarekvsClusterSpec) {
  const node = nodeObject(0);
  const template = nodeTemplate(withDefaults(spec), IDENTITY);
  return buildPod({ ...node, spec: { ...node.spec, template } }, { clusterUid: CLUSTER_UID });
}
