// Every field of the spec has changes, the wrong ones are refused, and a sample of the lives goes well. All lives run
// with `npm run sim -- --scenario fields`.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { admit } from '../src/fields/admission.ts';
import { allChanges, CHANGE_KINDS, type Change, changesOf } from '../src/fields/changes.ts';
import { changeOf, changeTitle, fieldNumbers, liveChange } from '../src/fields/field-units.ts';
import { ACTS_LATER, KNOWLEDGE } from '../src/fields/knowledge.ts';
import { fieldsOf, SPEC_SCHEMA } from '../src/fields/schema.ts';

/** The kinds of changes that a field cannot have, and why. */
const EXEMPT: Readonly<Record<string, { readonly accepted: string }>> = {
  'storage.className': { accepted: 'is immutable, set or not' },
};

const fields = fieldsOf();

function isAccepted({ from, to }: Change): boolean {
  const before = admit(from);
  return before.kind === 'stored' && admit(to, before.spec).kind === 'stored';
}

describe('the changes of every field', () => {
  it('are made only from the schema, so that a field that is added there is changed, too', () => {
    const grown = {
      ...SPEC_SCHEMA,
      properties: { ...SPEC_SCHEMA.properties, fresh: { type: 'integer', minimum: 0 } },
    } as const;
    const fresh = fieldsOf(grown).filter(({ path }) => !fields.some((known) => known.path === path));
    expect(fresh.map(({ path }) => path)).to.deep.equal(['fresh']);
  });

  it('lead from one accepted value of the field to another, or give a reason why there is none', () => {
    const silent = fields.filter((field) => !changesOf(field).some(isAccepted) && EXEMPT[field.path] === undefined);
    expect(silent.map(({ path }) => path)).to.deep.equal([]);
  });

  it('include one value per field that is refused', () => {
    const refused = fields.filter((field) => {
      const invalid = changesOf(field).filter(({ kind }) => kind === 'invalid');
      return invalid.length > 0 && invalid.every(({ to }) => admit(to).kind === 'refused');
    });
    expect(fields.filter((field) => !refused.includes(field)).map(({ path }) => path)).to.deep.equal([]);
  });

  it('begin with a spec that is accepted', () => {
    const bad = allChanges().filter(({ from }) => admit(from).kind === 'refused');
    expect(bad.map(changeTitle)).to.deep.equal([]);
  });

  it('include every kind, and exempt only fields that exist', () => {
    expect(new Set(allChanges().map(({ kind }) => kind))).to.deep.equal(new Set(CHANGE_KINDS));
    const paths = fields.map(({ path }) => path);
    for (const path of [...Object.keys(EXEMPT), ...Object.keys(ACTS_LATER)]) expect(paths).to.include(path);
    for (const end of Object.keys(KNOWLEDGE))
      expect(
        paths.some((path) => path === end || path.endsWith(`.${end}`)),
        end,
      ).to.equal(true);
  });

  it('are numbered without gaps', () => {
    expect(fieldNumbers()).to.be.above(600);
    expect(changeOf(fieldNumbers()).path).to.equal('deletionProtection');
    expect(() => changeOf(fieldNumbers() + 1)).to.throw(RangeError);
  });
});

/** One field for each effect: on members, size, volumes, reports, mistakes, and invalid stored specs. */
const SAMPLE: readonly (readonly [path: string, kind: Change['kind']])[] = [
  ['image', 'grown'],
  ['image', 'wrong'],
  ['nodes', 'shrunk'],
  ['nodes', 'invalid'],
  ['replicationFactor', 'grown'],
  ['storage.size', 'grown'],
  ['resources.memory', 'wrong'],
  ['autoscale', 'set'],
  ['volumeRetention.whenDeleted', 'grown'],
  ['podMetadata.labels', 'wrong'],
  ['auth', 'set'],
  ['clients.from', 'grown'],
  ['paused', 'grown'],
  ['deletionProtection', 'grown'],
];

describe('the life of a change', function () {
  this.timeout(60_000);
  for (const [path, kind] of SAMPLE) {
    const number = numberOf(path, kind);
    it(`of spec.${path}, ${kind} (number ${number}), ends as if created with it, or reports why not, and has a way back`, async () => {
      expect((await liveChange(number)).report.violation).to.equal(undefined);
    });
  }
});

function numberOf(path: string, kind: Change['kind']): number {
  for (let n = 1; n <= fieldNumbers(); n += 1) {
    const change = changeOf(n);
    if (change.path === path && change.kind === kind) return n;
  }
  throw new RangeError(`no change of ${path} that is ${kind}`);
}
