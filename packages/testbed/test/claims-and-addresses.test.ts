import { expect } from 'chai';
import { describe, it } from 'mocha';
import { whyMissing } from '../src/kubelet/containers/image.ts';
import { createAddressPool, loopbackOf } from '../src/kubelet/network/addresses.ts';
import { nextClaimStep } from '../src/kubelet/volumes/claims.ts';
import { claim } from './builders.ts';

describe('a claim', () => {
  it('is bound with the size that it asks for and gets the name of a volume', () => {
    expect(nextClaimStep(claim({ requested: '10Gi' }))).to.deep.equal({
      patch: { metadata: { uid: 'claim-1' }, spec: { volumeName: 'pvc-claim-1' } },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } },
    });
  });

  it('needs no change once it is bound with that size', () => {
    expect(nextClaimStep(claim({ phase: 'Bound', requested: '10Gi', capacity: '10Gi' }))).to.equal(undefined);
  });

  it('grows when it asks for more', () => {
    expect(nextClaimStep(claim({ phase: 'Bound', requested: '20Gi', capacity: '10Gi' }))?.status).to.deep.include({
      capacity: { storage: '20Gi' },
    });
  });

  it('of an unknown class stays as it is', () => {
    expect(nextClaimStep(claim({ className: 'no-such-class' }))).to.equal(undefined);
  });

  it('gets no volume name in a run of hundreds', () => {
    expect(nextClaimStep(claim(), false)?.patch).to.equal(undefined);
  });
});

describe('addresses of Pods', () => {
  it('are all different, lie in the range, and leave hosts and the holder alone', () => {
    const pool = createAddressPool(33);
    const taken = Array.from({ length: 600 }, () => pool.take());
    expect(new Set(taken).size).to.equal(600);
    for (const address of taken) expect(address).to.match(/^127\.33\.[0-2]\.([1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-4])$/);
  });

  it('have a loopback each, which is the address of no Pod, host or holder', () => {
    const pool = createAddressPool(33);
    const taken = Array.from({ length: 127 * 254 }, () => pool.take());
    const loopbacks = taken.map(loopbackOf);
    expect(new Set([...taken, ...loopbacks]).size).to.equal(2 * taken.length);
    for (const address of loopbacks) expect(Number(address.split('.')[2])).to.be.within(127, 253);
    expect(() => pool.take()).to.throw(RangeError, 'are in use');
  });

  it('are not used again at once', () => {
    const pool = createAddressPool(33);
    const first = pool.take();
    pool.giveBack(first);
    expect(pool.take()).not.to.equal(first);
  });
});

describe('an image', () => {
  for (const [image, isThere, isMember = true] of [
    ['ghcr.io/yannick/marekvs:latest', true],
    ['ghcr.io/yannick/marekvs', true],
    ['ghcr.io/yannick/marekvs:0.1.0', true],
    ['ghcr.io/yannick/marekvs:0.1.00', false],
    ['ghcr.io/yanick/marekvs:latest', false],
    ['ghcr.io/yannick/marekvs@sha256:0', false],
    ['registry.local/does-not-exist:1', false],
    ['marekvs:test', true],
    ['marekvs:missing', false],
    ['registry.example:5000/marekvs', false],
    ['', false],
    ['marekvs-operator:0.1.0', false, false],
    ['registry.local/marekvs-operator@sha256:0', false, false],
    ['busybox', true, false],
  ] as const) {
    it(`${image} of a ${isMember ? 'member' : 'container that is none'} is ${isThere ? 'there' : 'missing'}`, () => {
      expect(whyMissing(image, isMember) === undefined).to.equal(isThere);
    });
  }

  it('that is missing is reported with those that are there', () => {
    expect(whyMissing('ghcr.io/yannick/marekvs:typo', true)).to.match(
      /^failed to pull .*:typo": not found \(the local kubelet has ghcr\.io\/yannick\/marekvs:latest, /,
    );
  });
});
