import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { KubeClient } from '../src/client/kube-client.ts';
import { ApiError } from '../src/errors/errors.ts';
import {
  createLeaseApi,
  createLeaseIdentity,
  releasedSpec,
  renewedSpec,
  toLeaseRecord,
} from '../src/lease/lease-record.ts';

const stored = {
  metadata: {
    namespace: 'operators',
    name: 'suite',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'suite' },
    annotations: { note: 'kept' },
  },
  spec: { holderIdentity: 'op_uid_boot', leaseTransitions: 3, acquireTime: '2026-01-01T00:00:00.000000Z' },
};
const record = toLeaseRecord(stored);
const identity = createLeaseIdentity('op', 'uid', 'boot');
const { signal } = new AbortController();

/** A client that records what it was asked to write, and answers as a test says. */
function clientThat(answer: () => Promise<unknown>): { client: KubeClient; bodies: unknown[] } {
  const bodies: unknown[] = [];
  const act = async (_kind: unknown, body: unknown): Promise<never> => {
    bodies.push(body);
    return (await answer()) as never;
  };
  const refuse = (): never => {
    throw new Error('not expected');
  };
  const client: KubeClient = {
    get: act,
    create: act,
    update: act,
    list: refuse,
    updateStatus: refuse,
    patch: refuse,
    patchStatus: refuse,
    resizePod: refuse,
    offered: refuse,
    apply: refuse,
    delete: refuse,
  };
  return { client, bodies };
}

const refusal = (status: number, reason: string) => () =>
  Promise.reject(new ApiError({ verb: 'get', subject: 'leases', path: '/x', status, reason }));

describe('lease api', () => {
  it('updates on the version and uid it was given, keeping labels and annotations', async () => {
    const { client, bodies } = clientThat(async () => stored);
    const spec = renewedSpec(record, identity, 15_000, Date.UTC(2026, 0, 2));
    await createLeaseApi(client, { namespace: 'operators', name: 'suite' }).update(record, spec, signal);
    expect(bodies).to.deep.equal([
      {
        metadata: stored.metadata,
        spec: {
          holderIdentity: 'op_uid_boot',
          leaseDurationSeconds: 15,
          acquireTime: '2026-01-01T00:00:00.000000Z',
          renewTime: '2026-01-02T00:00:00.000000Z',
          leaseTransitions: 3,
        },
      },
    ]);
  });

  it('releases by omitting the holder', () => {
    expect(releasedSpec(record, 0)).to.not.have.property('holderIdentity');
  });

  it('reads a missing lease as undefined and passes every other refusal on', async () => {
    const read = (status: number, reason: string) =>
      createLeaseApi(clientThat(refusal(status, reason)).client, { namespace: 'a', name: 'b' }).read(signal);
    expect(await read(404, 'NotFound')).to.equal(undefined);
    const error = await read(403, 'Forbidden').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ApiError);
  });
});
