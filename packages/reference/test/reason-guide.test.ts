// The paragraph about every reason: it exists, and its commands match the kinds and their fields.

import { ANNOTATIONS, GROUP, LABELS, REASONS } from '@marekvs/api';
import { CLUSTER_KIND, objectSchema } from '@marekvs/api/reference';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { unknownFields } from '../../api/test/unknown-fields.ts';
import { REASON_GROUPS, REASON_GUIDE } from '../src/reasons/reason-guide.ts';

const commands = Object.values(REASON_GUIDE).flatMap((entry) => entry.commands);

describe('the guide of the reasons', () => {
  it('has every reason of the catalogue, once, in one group', () => {
    expect(REASON_GROUPS.flatMap(({ reasons }) => reasons).sort()).to.deep.equal(Object.keys(REASONS).sort());
    expect(Object.keys(REASON_GUIDE).sort()).to.deep.equal(Object.keys(REASONS).sort());
  });

  for (const [code, { meanwhile, unblock, commands: own }] of Object.entries(REASON_GUIDE)) {
    it(`says about ${code} what happens meanwhile, what ends it, and a command to begin with`, () => {
      expect(meanwhile).to.match(/^[A-Z`].{10,}\.$/s);
      expect(unblock).to.match(/^[A-Z`].{5,}\.$/s);
      expect(own).to.not.have.lengthOf(0);
    });
  }

  it('has only kubectl commands that name a namespace or are about kinds without one', () => {
    for (const command of commands) {
      expect(command).to.match(
        /^kubectl (get|describe|logs|delete|scale|patch|edit|annotate|taint|apply|auth|mkv verify|mkv rollout|mkv autoscale|mkv wake|mkv resume-member|mkv replace) /,
      );
      const isNamespaced = / -n (<namespace>|marekvs-system)( |$)/.test(command);
      const hasNone =
        /^kubectl (annotate storageclass|taint node <host>|(describe|delete) node <host>|get (nodes?|namespace|storageclass|\S*configurations|\S*policies\S*|--raw) ?|apply -k config\/)/;
      expect(isNamespaced || hasNone.test(command), command).to.equal(true);
    }
  });

  it('patches only existing fields of the spec, to valid values', () => {
    const patches = commands.flatMap((command) => /^kubectl patch mkv .* -p '(.+)'$/.exec(command)?.[1] ?? []);
    expect(patches).to.not.have.lengthOf(0);
    const schema = objectSchema(CLUSTER_KIND);
    for (const patch of patches) {
      const filled: unknown = JSON.parse(patch.replaceAll(/(?<!")<[a-z ]+>/g, '5'));
      expect(filled).to.have.all.keys('spec');
      expect(unknownFields(schema, filled), patch).to.deep.equal([]);
    }
  });

  it('uses only existing annotations and labels', () => {
    const known = new Set<string>([...Object.values(ANNOTATIONS), ...Object.values(LABELS)]);
    const used = commands.flatMap(
      (command) => command.match(new RegExp(`${GROUP.replace('.', '\\.')}/[a-z-]+[a-z]`, 'g')) ?? [],
    );
    expect(used.length).to.be.greaterThan(5);
    for (const key of used) expect(known.has(key), key).to.equal(true);
  });
});
