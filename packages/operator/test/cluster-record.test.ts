// What the planner is told of a MarekvsCluster.

import { ANNOTATIONS, API_VERSION, type MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { clusterRecordOf } from '../src/cluster/observation/cluster-record.ts';
import { specInForce } from '../src/cluster/observation/spec-in-force.ts';

const annotated = (annotations: Readonly<Record<string, string>>): MarekvsCluster => ({
  apiVersion: API_VERSION,
  kind: 'MarekvsCluster',
  metadata: {
    name: 'demo',
    namespace: 'default',
    uid: 'c0ffee00-0000-4000-8000-000000000001',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
  },
  spec: { image: 'marekvs:1' },
});

describe('the record of a cluster', () => {
  it('has a request for another try as the status stores it, so that it is heeded once', () => {
    const cluster = annotated({ [ANNOTATIONS.rolloutRetry]: `${'x'.repeat(252)}\u{1f389} and more` });
    const { retry } = clusterRecordOf(cluster, specInForce(cluster, [])).rollout;
    expect(retry).to.equal('x'.repeat(252));
  });
});
