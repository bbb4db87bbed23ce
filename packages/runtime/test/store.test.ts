import { type Change, createStore, type Identified, type Store } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';

interface Row extends Identified {
  readonly owner: string;
}

function row(name: string, resourceVersion: string, uid = `uid-${name}`, owner = 'o'): Row {
  return { namespace: 'default', name, uid, resourceVersion, owner };
}

function list(...rows: Row[]): Map<string, Row> {
  return new Map(rows.map((r) => [`default/${r.name}`, r]));
}

function newStore(): { store: Store<Row>; said: string[] } {
  const said: string[] = [];
  const store = createStore<Row>({
    scopes: [''],
    indexes: { owner: (r) => [r.owner] },
    emit: (c: Change<Row>) =>
      said.push(`${c.type} ${c.current?.uid ?? c.previous?.uid}@${(c.current ?? c.previous)?.resourceVersion}`),
  });
  return { store, said };
}

describe('store', () => {
  it('F7: ignores an event with an older version than it holds', () => {
    const { store, said } = newStore();
    store.upsert(row('a', '10'));
    expect(store.upsert(row('a', '9'))).to.equal('older');
    expect(store.get('default/a')?.resourceVersion).to.equal('10');
    expect(said).to.deep.equal(['added uid-a@10']);
  });

  it('F7: accepts an event whose version has no order', () => {
    const { store } = newStore();
    store.upsert(row('a', '10'));
    expect(store.upsert(row('a', 'opaque'))).to.equal('applied');
    expect(store.get('default/a')?.resourceVersion).to.equal('opaque');
  });

  it('compares by length first: 9 is older than 10', () => {
    const { store } = newStore();
    store.upsert(row('a', '9'));
    expect(store.upsert(row('a', '10'))).to.equal('applied');
  });

  it('F4: reports delete and add, not update, when the uid changed under one name', () => {
    const { store, said } = newStore();
    store.upsert(row('a', '5', 'old'));
    store.upsert(row('a', '8', 'new'));
    expect(said).to.deep.equal(['added old@5', 'deleted old@5', 'added new@8']);
  });

  it('ignores the late delete of an earlier object with the name', () => {
    const { store } = newStore();
    store.upsert(row('a', '8', 'new'));
    expect(store.remove(row('a', '6', 'old'))).to.equal('older');
    expect(store.get('default/a')?.uid).to.equal('new');
  });

  it('stores the answer to an own write at once and reports nothing when the watch repeats it', () => {
    const { store, said } = newStore();
    store.replace('', list(), '3');
    store.observe(row('a', '5'));
    expect(store.upsert(row('a', '5'))).to.equal('same');
    expect(said).to.deep.equal(['added uid-a@5']);
  });

  it('does not store an object whose delete was seen before the answer to its create', () => {
    const { store } = newStore();
    store.replace('', list(), '3');
    store.upsert(row('a', '5'));
    store.advance('', '5');
    store.remove(row('a', '6'));
    store.advance('', '6');
    store.observe(row('a', '5'));
    expect(store.get('default/a')).to.equal(undefined);
  });

  it('does not store an object without an order whose delete may have been seen, which no event would remove', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '5')), '5');
    store.remove(row('a', '6'));
    store.advance('', '6');
    store.observe(row('a', ''));
    expect(store.get('default/a')).to.equal(undefined);
  });

  it('does not let the late answer of an own write undo a newer event', () => {
    const { store } = newStore();
    store.upsert(row('a', '9'));
    store.observe(row('a', '7'));
    expect(store.get('default/a')?.resourceVersion).to.equal('9');
  });

  it('waits for the watch to show which of two versions without order is newer', () => {
    const { store } = newStore();
    store.upsert(row('a', 'v-9'));
    store.observe(row('a', 'v-7'));
    expect(store.get('default/a')?.resourceVersion).to.equal('v-9');
  });

  it('F39: hides an object that it deleted until the watch confirms, whatever late events say', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '5')), '5');
    store.observeGone('default/a', 'uid-a');
    expect(store.upsert(row('a', '6'))).to.equal('older');
    expect(store.get('default/a')).to.equal(undefined);
    store.remove(row('a', '7'));
    store.upsert(row('a', '9', 'successor'));
    expect(store.get('default/a')?.uid).to.equal('successor');
  });

  it('F39: still hides it when a list begun before the delete has it', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '5')), '5');
    store.observeGone('default/a', 'uid-a');
    store.replace('', list(row('a', '5')), '5');
    expect(store.get('default/a')).to.equal(undefined);
  });

  it('shows a successor with the same name although it deleted the predecessor a moment ago', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '5', 'old')), '5');
    store.observeGone('default/a', 'old');
    store.observe(row('a', '8', 'new'));
    expect(store.get('default/a')?.uid).to.equal('new');
  });

  it('reports only the differences of a list', () => {
    const { store, said } = newStore();
    store.replace('', list(row('a', '1'), row('b', '2'), row('c', '3')), '3');
    said.length = 0;
    store.replace('', list(row('a', '1'), row('b', '5'), row('d', '6')), '6');
    expect(said).to.have.members(['deleted uid-c@3', 'updated uid-b@5', 'added uid-d@6']);
    expect(said).to.have.length(3);
  });

  it('keeps its own write that is newer than the list', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '1')), '3');
    store.observe(row('new', '9'));
    store.observe(row('a', '8'));
    store.replace('', list(row('a', '1')), '7');
    expect(store.get('default/new')?.resourceVersion).to.equal('9');
    expect(store.get('default/a')?.resourceVersion).to.equal('8');
  });

  it('has every change in place before the first is reported', () => {
    const sizes: number[] = [];
    const store: Store<Row> = createStore<Row>({ scopes: [''], emit: () => sizes.push(store.size) });
    store.replace('', list(row('a', '1'), row('b', '2')), '3');
    expect(sizes).to.deep.equal([2, 2]);
  });

  it('F59: accepts everything in a list that is older than what was seen', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '100'), row('b', '101')), '120');
    store.replace('', list(row('a', '50')), '60');
    expect(store.get('default/a')?.resourceVersion).to.equal('50');
    expect(store.get('default/b')).to.equal(undefined);
    expect(store.resourceVersion).to.equal('60');
  });

  it('F59: shows what it deleted after the backup was made', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '50')), '120');
    store.observeGone('default/a', 'uid-a');
    store.replace('', list(row('a', '50')), '60');
    expect(store.get('default/a')?.uid).to.equal('uid-a');
  });

  it('F59: takes an older version from a newer list, as after a restore with bumped revisions', () => {
    const { store } = newStore();
    store.replace('', list(row('a', '100')), '120');
    store.replace('', list(row('a', '50')), '5000');
    expect(store.get('default/a')?.resourceVersion).to.equal('50');
  });

  it('finds values by index, and no longer once they changed or went', () => {
    const { store } = newStore();
    store.upsert(row('a', '1', 'ua', 'x'));
    store.upsert(row('b', '2', 'ub', 'x'));
    expect(store.byIndex('owner', 'x').map((r) => r.name)).to.deep.equal(['a', 'b']);
    store.upsert(row('a', '3', 'ua', 'y'));
    store.remove(row('b', '4', 'ub', 'x'));
    expect(store.byIndex('owner', 'x')).to.deep.equal([]);
    expect(store.byIndex('owner', 'y').map((r) => r.name)).to.deep.equal(['a']);
    expect(() => store.byIndex('nobody', 'x')).to.throw('no index named nobody');
  });

  describe('with several namespaces', () => {
    const scoped = (namespace: string, name: string, rv: string): Row => ({ ...row(name, rv), namespace });

    it('is synced when all of them are, and a list of one leaves the others alone', () => {
      const store = createStore<Row>({ scopes: ['one', 'two'], emit: () => undefined });
      store.replace('one', new Map([['one/a', scoped('one', 'a', '1')]]), '5');
      expect(store.hasSynced).to.equal(false);
      expect(store.resourceVersion).to.equal(undefined);
      store.replace('two', new Map([['two/a', scoped('two', 'a', '2')]]), '4');
      expect(store.hasSynced).to.equal(true);
      expect(store.resourceVersion).to.equal('4');
      store.replace('one', new Map(), '9');
      expect([...store.values()].map((r) => r.namespace)).to.deep.equal(['two']);
    });

    it('ignores own writes in other namespaces', () => {
      const store = createStore<Row>({ scopes: ['one'], emit: () => undefined });
      store.observe(scoped('elsewhere', 'a', '3'));
      expect(store.size).to.equal(0);
    });
  });
});
