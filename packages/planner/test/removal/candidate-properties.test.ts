// What holds for every choice of a candidate, also from absurd observations: never too few members left, never two
// candidates, never a removal before its replacement. A failure prints its seed and the smallest counter-example.

import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  chooseCandidate,
  hasLostVolume,
  type MemberAnswer,
  type NodeRecord,
  type PodRecord,
  preflight,
  survivorsOf,
  type VolumeRecord,
} from '../../src/index.ts';
import {
  deepFreeze,
  freshPod,
  line,
  MONOTONIC_MS,
  NOW_MS,
  node,
  observation,
  pod,
  silent,
  volume,
} from '../support/builders.ts';

const RUNS = 1_000;
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const ids = fc.uniqueArray(fc.oneof(fc.nat(7), fc.constantFrom(9, 10, 11)), {
  minLength: 1,
  maxLength: 9,
  size: 'max',
});

/** Mostly what a healthy member says, so that the interesting branches are reached. */
const answerOf = (of: number, all: readonly number[]): fc.Arbitrary<MemberAnswer> => {
  const view = all.map((id) => line(id));
  const healthy: MemberAnswer = { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view, digest: 'same' };
  const others = view.filter((entry) => entry.id !== of);
  return fc.constantFrom<MemberAnswer>(
    ...Array<MemberAnswer>(12).fill(healthy),
    { ...healthy, view: others },
    { ...healthy, view: [] },
    silent,
    { kind: 'notAsked' },
    { kind: 'joining', sinceMs: NOW_MS },
  );
};

const podOf = (of: number): fc.Arbitrary<PodRecord | undefined> =>
  fc.constantFrom(
    ...Array<PodRecord>(12).fill(pod(of)),
    undefined,
    freshPod(of),
    pod(of, { isTerminating: true }),
    pod(of, { phase: 'Failed', isReady: false }),
    pod(of, { isLeaving: true }),
    pod(of, { isDisrupted: true }),
  );

const nodeOf = (of: number, all: readonly number[]): fc.Arbitrary<NodeRecord> =>
  fc
    .record({
      isDeleting: fc.constantFrom(...Array<boolean>(7).fill(false), true),
      deletedAtMs: maybe(fc.nat(9_000).map((ms) => NOW_MS - ms)),
      serving: fc.constantFrom(...Array<boolean>(7).fill(true), false),
      createdAtMs: fc.constantFrom(NOW_MS - 600_000, NOW_MS),
      replicationFactor: fc.constantFrom(2, 2, 2, 1, 3),
      removeFirst: fc.constantFrom(undefined, undefined, 'true', 'yes'),
      forceRemove: fc.constantFrom(...Array<undefined>(9).fill(undefined), `node-uid-${of}/x`, 'other/x'),
      pod: podOf(of),
      volume: fc.constantFrom(
        ...Array<VolumeRecord>(7).fill(volume(of)),
        undefined,
        volume(of, { isTerminating: true }),
      ),
      answer: answerOf(of, all),
    })
    .map((change) => node(of, change));

const observed: fc.Arbitrary<{ readonly o: ClusterObservation; readonly desired: number }> = ids.chain((all) => {
  const sorted = [...all].sort((a, b) => a - b);
  return fc
    .record({
      nodes: fc.tuple(...sorted.map((id) => nodeOf(id, sorted))),
      desired: fc.integer({ min: -1, max: 6 }),
      replicationFactor: fc.constantFrom(1, 2, 2, 3),
      host: fc.constantFrom('schedulable', 'draining', 'gone', 'unknown', 'schedulable', 'notAsked'),
    })
    .map(({ nodes, desired, replicationFactor, host }) => ({
      desired,
      o: observation({ nodes, cluster: { spec: { replicationFactor } }, hosts: new Map([['host-1', host]]) }),
    }));
});

const forAll = (check: (o: ClusterObservation, desired: number) => void): void =>
  fc.assert(
    fc.property(observed, ({ o, desired }) => check(o, desired)),
    { numRuns: RUNS },
  );

describe('every choice of a candidate', () => {
  it('leaves at least replicationFactor + 1 others that have a volume, and as many as are wanted', () => {
    let chosen = 0;
    forAll((o, desired) => {
      const { candidate } = chooseCandidate(o, desired);
      if (candidate === undefined) return;
      chosen += 1;
      const others = o.nodes.filter((entry) => entry.uid !== candidate.node.uid && !hasLostVolume(entry));
      expect(others.length).to.be.at.least(Math.max(desired, o.cluster.spec.replicationFactor + 1));
    });
    expect(chosen, 'choices made').to.be.greaterThan(100);
  });

  it('is one node of the cluster, or none', () => {
    forAll((o, desired) => {
      const { candidate } = chooseCandidate(o, desired);
      if (candidate !== undefined) expect(o.nodes.filter((entry) => entry === candidate.node)).to.have.length(1);
    });
  });

  it('is a function of its input alone and leaves that unchanged', () => {
    forAll((o, desired) => {
      deepFreeze(o);
      expect(chooseCandidate(o, desired)).to.deep.equal(chooseCandidate(structuredClone(o), desired));
    });
  });

  it('does without the proof only for a node that does not serve, unless a person named it', () => {
    forAll((o, desired) => {
      const { candidate } = chooseCandidate(o, desired);
      if (candidate?.basis === 'Dead' || candidate?.basis === 'NeverJoined') {
        expect(candidate.node.answer.kind).to.not.equal('serving');
        for (const { answer } of o.nodes)
          if (answer.kind === 'serving') expect(answer.view.map((entry) => entry.id)).to.not.include(candidate.node.id);
      }
      if (candidate?.basis === 'Forced') expect(candidate.node.forceRemove).to.equal(`${candidate.node.uid}/x`);
    });
  });

  it('leads to a removal only when at least replicationFactor + 1 survivors are ready, whatever the basis', () => {
    forAll((o, desired) => {
      const { candidate } = chooseCandidate(o, desired);
      if (candidate === undefined) return;
      const isAtFloor = survivorsOf(o, candidate.node).length < o.cluster.spec.replicationFactor + 1;
      if (isAtFloor) expect(preflight(o, candidate).missing).to.not.equal(undefined);
    });
  });
});
