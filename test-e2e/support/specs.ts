// The specs that journeys apply.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MarekvsClusterSpec } from '@marekvs/api';
import { load } from 'js-yaml';

const SAMPLE = fileURLToPath(new URL('../../config/samples/demo.yaml', import.meta.url));

/** The spec of config/samples/demo.yaml: the example of the existing operator. */
export function sampleSpec(): MarekvsClusterSpec {
  const { spec } = load(readFileSync(SAMPLE, 'utf8')) as { spec: MarekvsClusterSpec };
  return spec;
}

/** A plain cluster with so many nodes. */
export function plainSpec(nodes: number, more: Partial<MarekvsClusterSpec> = {}): MarekvsClusterSpec {
  return { image: 'ghcr.io/yannick/marekvs:latest', nodes, storage: { size: '1Gi' }, ...more };
}
