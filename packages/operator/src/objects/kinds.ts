// The two kinds this operator owns, as the runtime's clients and caches name them.

import { API_VERSION, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import { defineKind } from '@marekvs/runtime';

export const MAREKVS_CLUSTER = defineKind<MarekvsCluster>(API_VERSION, 'MarekvsCluster');
export const MAREKVS_NODE = defineKind<MarekvsNode>(API_VERSION, 'MarekvsNode');
