// The two kinds this operator owns, as the runtime's clients and caches name them.

import { GROUP, type MarekvsCluster, type MarekvsNode, VERSION } from '@marekvs/api';
import { defineKind } from '@marekvs/runtime';

export const MAREKVS_CLUSTER = defineKind<MarekvsCluster>({
  group: GROUP,
  version: VERSION,
  kind: 'MarekvsCluster',
  plural: 'marekvsclusters',
  namespaced: true,
});

export const MAREKVS_NODE = defineKind<MarekvsNode>({
  group: GROUP,
  version: VERSION,
  kind: 'MarekvsNode',
  plural: 'marekvsnodes',
  namespaced: true,
});
