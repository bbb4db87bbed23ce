// A claim that gets no volume, as the conditions of the operator and the events of the claim report it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { explain } from '../src/explain/explain.ts';
import { claim, cluster, facts, SINCE, stalled, unscheduledPod } from './support/objects.ts';

const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims';

describe('a claim whose StorageClass does not exist', () => {
  it('is explained with the sentence of the condition, and then with that of the event', () => {
    const message =
      'PersistentVolumeClaim data-demo-2 has waited for its volume since 2026-01-01T00:55:00Z: StorageClass fast does not exist or makes no volumes; create it, or a PersistentVolume of that class (the scheduler says: pod has unbound immediate PersistentVolumeClaims)';
    const note = 'storageclass.storage.k8s.io "fast" not found';
    const found = explain(
      facts({
        cluster: cluster({ status: { conditions: stalled('StorageClassMissing', message) } }),
        volumes: [claim(2, { phase: 'Pending' }, { creationTimestamp: SINCE }, 'fast')],
        pods: [unscheduledPod(2, UNBOUND)],
        events: [
          {
            atMs: 0,
            type: 'Warning',
            reason: 'ProvisioningFailed',
            note,
            kind: 'PersistentVolumeClaim',
            name: 'data-demo-2',
            count: 3,
          },
        ],
      }),
    );
    expect(found.map(({ rule, member }) => [rule, member])).to.deep.equal([['StorageClassMissing', 'demo-2']]);
    expect(found[0]?.message).to.equal(`${message}: ${note}`);
  });
});
