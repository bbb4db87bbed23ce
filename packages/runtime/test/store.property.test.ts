import { createStore, type Identified } from '@marekvs/runtime';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';

// The truth is a history of one namespace, revision by revision. Whatever a store is shown of it, with whatever delay
// and own answers in between, it must never go back and must end at the truth.

interface Row extends Identified {
  readonly tag: string;
}
type Step = { readonly name: string; readonly kind: 'write' | 'delete' };
type Entry = { readonly type: 'put' | 'gone'; readonly row: Row };

const NAMES = ['a', 'b', 'c'];
const steps = fc.array(
  fc.record({ name: fc.constantFrom(...NAMES), kind: fc.constantFrom<Step['kind']>('write', 'write', 'delete') }),
  { minLength: 1, maxLength: 40 },
);

/** The events an API server would send, and what it holds after each. */
function play(script: readonly Step[]): { events: Entry[]; states: Map<string, Row>[] } {
  const now = new Map<string, Row>();
  const events: Entry[] = [];
  const states = [new Map(now)];
  let revision = 98;
  for (const { name, kind } of script) {
    revision++;
    const before = now.get(name);
    if (kind === 'delete' && before === undefined) continue;
    const resourceVersion = String(revision);
    const uid = before?.uid ?? `${name}-${revision}`;
    const row: Row = { name, uid, resourceVersion, tag: `t${revision % 3}` };
    if (kind === 'delete') now.delete(name);
    else now.set(name, row);
    events.push({ type: kind === 'delete' ? 'gone' : 'put', row });
    states.push(new Map(now));
  }
  return { events, states };
}

describe('store against the truth', () => {
  it('ends where the API server is, with any mix of own answers, repeats, lists and watch events', () => {
    const disturbance = fc.array(
      fc.record({ at: fc.nat(60), what: fc.constantFrom('answer', 'deleted', 'repeat', 'list'), of: fc.nat(60) }),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(steps, disturbance, (script, disturbances) => {
        const { events, states } = play(script);
        const told = new Map<string, Row>();
        const store = createStore<Row>({
          scopes: [''],
          indexes: { tag: (r) => [r.tag] },
          emit({ type, key, previous, current }) {
            expect(told.get(key), `${type} ${key}`).to.equal(previous);
            if (type === 'updated') expect(current?.uid).to.equal(previous?.uid);
            if (current === undefined) told.delete(key);
            else told.set(key, current);
          },
        });
        store.replace('', new Map(), '98');
        events.forEach(({ type, row }, index) => {
          for (const d of disturbances.filter((x) => x.at === index)) {
            const other = events[d.of];
            // The answer to a write may come long before its event, or long after.
            if (d.what === 'answer' && other?.type === 'put') store.observe(other.row);
            if (d.what === 'deleted' && other?.type === 'gone') store.observeGone(other.row.name, other.row.uid);
            if (
              d.what === 'repeat' &&
              d.of < index &&
              other?.type === 'put' &&
              store.get(other.row.name) !== undefined
            ) {
              store.upsert(other.row);
            }
            const state = states[index];
            if (d.what === 'list' && state !== undefined) {
              store.replace('', state, index === 0 ? '98' : (events[index - 1]?.row.resourceVersion ?? ''));
            }
          }
          if (type === 'put') store.upsert(row);
          else store.remove(row);
          store.advance('', row.resourceVersion);
        });
        const truth = states.at(-1) ?? new Map<string, Row>();
        expect(new Map([...store.values()].map((r) => [r.name, r.resourceVersion]))).to.deep.equal(
          new Map([...truth.values()].map((r) => [r.name, r.resourceVersion])),
        );
        expect(told).to.deep.equal(new Map([...store.values()].map((r) => [r.name, r])));
        for (const tag of ['t0', 't1', 't2']) {
          const byScan = [...store.values()].filter((r) => r.tag === tag).map((r) => r.name);
          expect(store.byIndex('tag', tag).map((r) => r.name)).to.have.members(byScan);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('has the same content after a list as a naive map, and reports exactly the difference', () => {
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const { states, events } = play([...first, ...second]);
        const from = states[Math.min(first.length, states.length - 1)] ?? new Map<string, Row>();
        const to = states.at(-1) ?? new Map<string, Row>();
        let changes = 0;
        const store = createStore<Row>({ scopes: [''], emit: () => changes++ });
        store.replace('', from, '98');
        changes = 0;
        store.replace('', to, String(98 + events.length + first.length + second.length));
        const expected = NAMES.reduce((n, name) => {
          const [x, y] = [from.get(name), to.get(name)];
          if (x?.resourceVersion === y?.resourceVersion) return n;
          return n + (x !== undefined && y !== undefined && x.uid !== y.uid ? 2 : 1);
        }, 0);
        expect(new Map([...store.values()].map((r) => [r.name, r]))).to.deep.equal(to);
        expect(changes).to.equal(expected);
      }),
    );
  });
});
