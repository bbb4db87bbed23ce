// A setting that all members share reaches them one after the other, and decisions use the more cautious value.

import { withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { node, serving, views } from '../../planner/test/support/builders.ts';
import { decidingSpec, joiningSpec, runningSettings, stampedSpec } from '../src/cluster/observation/shared-settings.ts';
import { nodeTemplate } from '../src/objects/template.ts';
import { IDENTITY } from './support/objects.ts';

const specOf = (replicationFactor: number, gcGraceSeconds: number) =>
  withDefaults({ image: 'marekvs:test', replicationFactor, gcGraceSeconds });
const stamped = (replicationFactor: number, gcGraceSeconds = 600) =>
  nodeTemplate(specOf(replicationFactor, gcGraceSeconds), IDENTITY);

describe('the settings that a cluster runs with', () => {
  it('are those of its members once it is formed: the most and the fewest homes, and the shortest gcGraceSeconds', () => {
    const nodes = [
      { record: node(0, { replicationFactor: 2, gcGraceSeconds: 900 }), template: stamped(2, 900) },
      { record: node(1, { replicationFactor: 3, gcGraceSeconds: 600 }), template: stamped(3, 600) },
    ];
    const running = { replicationFactor: 3, leastReplicationFactor: 2, gcGraceSeconds: 600 };
    expect(runningSettings(specOf(2, 600), true, nodes)).to.deep.equal(running);
    expect(runningSettings(specOf(2, 600), false, nodes)).to.equal(undefined);
  });

  it('are those of the spec when no member with data is left', () => {
    const lost = { record: node(0, { volume: undefined }), template: stamped(2) };
    const fresh = { record: node(1, { serving: false }), template: stamped(2) };
    expect(runningSettings(specOf(2, 600), true, [lost, fresh])).to.equal(undefined);
    expect(decidingSpec(specOf(3, 600), undefined).replicationFactor).to.equal(3);
  });

  const running = { replicationFactor: 2, leastReplicationFactor: 2, gcGraceSeconds: 600 };

  it('do not change what members are to run, which is what the spec says', () => {
    expect(stampedSpec(specOf(3, 900), running)).to.deep.include({ replicationFactor: 3, gcGraceSeconds: 900 });
  });

  it('are used by a joining node when the spec asks for more homes, and not when it asks for fewer', () => {
    expect(joiningSpec(specOf(3, 900), running)).to.deep.include({ replicationFactor: 2, gcGraceSeconds: 900 });
    expect(joiningSpec(specOf(1, 900), running).replicationFactor).to.equal(1);
    expect(joiningSpec(specOf(3, 900), undefined).replicationFactor).to.equal(3);
  });

  describe('for the password', () => {
    const asking = (name: string | undefined) =>
      withDefaults({
        image: 'marekvs:test',
        ...(name === undefined ? {} : { auth: { secretRef: { name, key: 'password' } } }),
      });
    const members = (...names: readonly (string | undefined)[]) =>
      names.map((name, id) => ({ record: wanting(id, name), template: nodeTemplate(asking(name), IDENTITY) }));
    /** A member that wants the password of this Secret. */
    const wanting = (id: number, name: string | undefined) =>
      node(id, {
        answer: {
          ...serving(views(3)),
          ...(name === undefined ? {} : { isGuarded: true, wants: `${name}/password` }),
        },
      });
    const ROWS = [
      [
        'none while no member has one: a replacement does not make the first that wants it',
        'one',
        [undefined, undefined],
        undefined,
      ],
      ['that of the members while the spec asks for another', 'two', ['one', 'one'], 'one'],
      ['that of the members when it is taken out', undefined, ['one', 'one'], 'one'],
      ['that of the spec once a member has it: a mixed cluster gets less mixed', 'one', [undefined, 'one'], 'one'],
      ['none in a mixed cluster whose spec asks for none', undefined, [undefined, 'one'], undefined],
      ['one rather than none where the spec asks for a third', 'two', [undefined, 'one'], 'one'],
    ] as const;

    describe('that all members want', () => {
      const stampedFor = (asked: string | undefined, wanted: readonly (string | undefined)[], isTurn = false) => {
        const spec = asking(asked);
        const present = wanted.map((name, id) => ({
          record: wanting(id, name),
          template: nodeTemplate(asking('one'), IDENTITY),
        }));
        return stampedSpec(spec, runningSettings(spec, true, present, isTurn)).auth?.secretRef.name;
      };
      it('are used for new nodes, also when there is none', () => {
        expect(stampedFor('two', ['two', 'two'])).to.equal('two');
        expect(stampedFor(undefined, [undefined, undefined])).to.equal(undefined);
      });
      it('are not used while one of the members wants another one', () => {
        expect(stampedFor('two', ['two', 'one'])).to.equal('one');
        expect(stampedFor(undefined, [undefined, 'one'])).to.equal('one');
      });
      it('are not used while a member has its turn, which began with the earlier one', () => {
        expect(stampedFor('two', ['two', 'two'], true)).to.equal('one');
      });
    });

    for (const [title, asked, present, expected] of ROWS) {
      it(`give new nodes ${title}`, () => {
        const spec = asking(asked);
        const stamp = stampedSpec(spec, runningSettings(spec, true, members(...present)));
        expect(stamp.auth?.secretRef.name).to.equal(expected);
      });
    }
  });

  it('exclude kept volumes that are too old for either value, and keep as many nodes as either needs', () => {
    expect(decidingSpec(specOf(3, 900), running)).to.deep.include({ replicationFactor: 3, gcGraceSeconds: 600 });
    expect(decidingSpec(specOf(1, 300), running)).to.deep.include({ replicationFactor: 2, gcGraceSeconds: 300 });
  });
});
