// Whether the door of the target is closed: it runs in another process than the one that clients could reach, and every
// other member shows that one.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { witnessesOf } from '../../src/evidence/answers.ts';
import { mayBeSealed, sealingOf } from '../../src/evidence/sealing.ts';
import type { NodeRecord, ViewLine } from '../../src/index.ts';
import { line, MONOTONIC_MS, node, pod, sealedNode, silent, volume } from '../support/builders.ts';
import { behindDoor, closed, drained, factsOfAll, nodesShowing, type Shown } from '../support/facts.ts';

const IDS = [0, 1, 2, 3, 4];
const VIEW = closed(IDS, 4);
const ago = (ms: number) => MONOTONIC_MS - ms;

interface Change {
  readonly target?: NodeRecord;
  readonly view?: readonly ViewLine[];
  readonly differs?: Readonly<Record<number, Shown>>;
  readonly shownMs?: number;
  readonly isolatedSinceMs?: number | undefined;
}

function sealing({ target = sealedNode(4), view = VIEW, differs = {}, shownMs = 3_000, ...rest }: Change = {}) {
  const nodes = nodesShowing(IDS, view).map((one) => (one.id === 4 ? target : one));
  const shown = { view, shownSinceMs: ago(shownMs) };
  const facts = factsOfAll(IDS, shown, { ...differs, 4: { ...behindDoor(4), ...differs[4] } });
  const isolatedSinceMs = 'isolatedSinceMs' in rest ? rest.isolatedSinceMs : ago(60_000);
  const witnesses = witnessesOf(nodes, facts, MONOTONIC_MS);
  return sealingOf(witnesses, { target, isolatedSinceMs, graceMs: 5_000, monotonicMs: MONOTONIC_MS });
}

const door = (change: Change = {}) => sealing(change).checks.find(({ name }) => name === 'doorClosed');
const why = (change: Change) => door(change)?.hold?.message;
const NOT_YET = 'not every member shows demo-4 behind its closed door yet';

describe('the door of a target', () => {
  it('is closed when all others show its new process without primaries', () => {
    expect(sealing().checks.map(({ name, passed, value }) => [name, passed, value])).to.deep.equal([
      ['noPrimaries', true, 'none on demo-4'],
      ['doorClosed', true, 'no client reaches demo-4'],
    ]);
  });

  it('counts as closed after all have shown it for 3 s, and not a millisecond earlier', () => {
    expect(door({ shownMs: 3_000 })?.passed).to.equal(true);
    expect(door({ shownMs: 2_999 })?.hold).to.deep.equal({
      reason: 'MemberSealing',
      message: 'every member has to show demo-4 behind its closed door for 3 s',
      needsPerson: false,
    });
    expect(why({ differs: { 2: { shownSinceMs: ago(2_999) } } })).to.match(/for 3 s$/);
  });

  it('has been closed since the last one began to show it, whatever has to be waited for then', () => {
    expect(sealing({ shownMs: 2_999 }).sinceMs).to.equal(ago(2_999));
    expect(sealing({ differs: { 1: { shownSinceMs: ago(1_000) } } }).sinceMs).to.equal(ago(1_000));
  });

  it('is open while its process is still the one that clients reach, whatever the others show', () => {
    const open = { ...sealedNode(4), pod: pod(4, { isLeaving: true }) };
    for (const view of [VIEW, drained(IDS, 4)]) {
      const { sinceMs } = sealing({ target: open, view, differs: { 4: { podUid: 'pod-uid-4' } } });
      expect(why({ target: open, view })).to.equal('demo-4 is being restarted with its door closed');
      expect(sinceMs).to.equal(undefined);
    }
    expect(why({ target: { ...open, pod: undefined } })).to.equal('demo-4 is being restarted with its door closed');
  });

  it('is not known to be closed while a member shows the process that was ended', () => {
    const before = drained(IDS, 4);
    expect(why({ differs: { 1: { view: before } } })).to.equal(NOT_YET);
    expect(why({ view: before }), 'all of them').to.equal(NOT_YET);
    expect(sealing({ view: before }).sinceMs).to.equal(undefined);
  });

  it('is not known to be closed while a member does not show the target at all, or shows it with primaries', () => {
    const withPrimaries = VIEW.map((one) => ({ ...one, hasPrimaries: true }));
    for (const view of [VIEW.slice(0, 4), withPrimaries]) {
      const { checks, sinceMs } = sealing({ differs: { 3: { view } } });
      expect([checks[0]?.passed, checks[1]?.passed, sinceMs]).to.deep.equal([false, false, undefined]);
    }
  });

  it('is not known to be closed while a member shows no list, or an old one', () => {
    for (const shown of [{ isJoining: true }, { viewAtMs: ago(8_001) }, { shownSinceMs: undefined }])
      expect(door({ differs: { 3: shown } })?.passed, JSON.stringify(shown)).to.equal(false);
  });

  it('does not depend on a list of the target, which nobody can ask for', () => {
    expect(door({ target: sealedNode(4, { answer: silent }) })?.passed).to.equal(true);
  });

  it('is not known to be closed without knowing which process was ended', () => {
    for (const ran of [
      undefined,
      { podUid: 'pod-uid-4', generation: undefined },
      { podUid: 'sealed-pod-uid-4', generation: line(4).generation },
    ])
      expect(why({ target: sealedNode(4, { ran }) }), JSON.stringify(ran)).to.equal(NOT_YET);
  });

  describe('cannot be closed when nothing would start its process again:', () => {
    const lost = { volume: undefined };
    const going = { volume: volume(4, { isTerminating: true }) };

    it('its volume is lost, or is being deleted', () => {
      expect([lost, going, {}].map((change) => mayBeSealed(node(4, change)))).to.deep.equal([false, false, true]);
      expect(mayBeSealed(sealedNode(4)), 'it is closed').to.equal(false);
    });

    it('it goes once clients have had time to move, with the door as it is', () => {
      const of = (change: Change) => {
        const target = node(4, { ...lost, intent: 'Leaving', serving: false, pod: pod(4, { isLeaving: true }) });
        const shown: Change = {
          target,
          view: drained(IDS, 4),
          differs: { 4: { podUid: 'pod-uid-4', isJoining: false } },
        };
        return sealing({ ...shown, shownMs: 60_000, ...change });
      };
      expect(of({}).checks.map(({ name, passed }) => [name, passed])).to.deep.equal([
        ['noPrimaries', true],
        ['doorClosed', true],
      ]);
      expect(of({ shownMs: 4_999 }).checks[1]?.passed).to.equal(false);
      expect(of({ isolatedSinceMs: ago(4_999) }).checks[1]?.passed).to.equal(false);
      expect(of({ isolatedSinceMs: undefined }).checks[1]?.passed).to.equal(false);
    });

    it('one whose volume is lost while its door is closed has to be shown with it closed all the same', () => {
      const target = sealedNode(4, lost);
      expect(door({ target })?.passed).to.equal(true);
      expect(why({ target, view: drained(IDS, 4) })).to.equal(NOT_YET);
    });
  });
});
