// The table against ajv with the generated schema (structure) together with the static rules (CEL's part).

import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CLUSTER_KIND } from '../src/crd/cluster-kind.ts';
import { objectSchema } from '../src/crd/definition.ts';
import { NODE_KIND } from '../src/crd/node-kind.ts';
import type { JsonObject } from '../src/crd/structural.ts';
import type { MarekvsCluster, MarekvsNode } from '../src/index.ts';
import { validateClusterName, validateClusterSpec, validateNewClusterSpec, validateNode } from '../src/index.ts';
import { OBJECT_CASES, type ObjectCase, type PlainObject } from './objects.ts';
import { unknownFields } from './unknown-fields.ts';

const ajv = new Ajv({ allErrors: true, strict: false, useDefaults: true, validateFormats: false });
const SCHEMAS: Readonly<Record<string, JsonObject>> = {
  MarekvsCluster: objectSchema(CLUSTER_KIND),
  MarekvsNode: objectSchema(NODE_KIND),
};
const VALIDATORS = new Map(Object.entries(SCHEMAS).map(([kind, schema]) => [kind, ajv.compile(schema)]));

describe('the table of objects', () => {
  it('has at least 60 rows with distinct titles, each refusal naming its field and its remedy', () => {
    expect(OBJECT_CASES.length).to.be.at.least(60);
    expect(new Set(OBJECT_CASES.map((row) => row.title)).size).to.equal(OBJECT_CASES.length);
    for (const row of OBJECT_CASES.filter((each) => !each.valid)) expect(row).to.include.keys('field', 'message');
  });

  for (const row of OBJECT_CASES) {
    it(`${row.valid ? 'accepts' : 'refuses'} ${row.title}`, () => {
      const problems = problemsOf(row);
      if (row.valid) expect(problems).to.deep.equal([]);
      else {
        const named = problems.filter((text) => text.startsWith(`${row.field}:`));
        expect(named, `no problem names ${row.field}: ${problems.join('; ')}`).to.not.have.lengthOf(0);
        expect(named.join('; ')).to.match(row.message ?? /$^/);
      }
    });
  }
});

function problemsOf(row: ObjectCase): readonly string[] {
  const object = structuredClone(row.object);
  const old = row.old === undefined ? undefined : structuredClone(row.old);
  const kind = String(object.kind);
  const validator = VALIDATORS.get(kind);
  const schema = SCHEMAS[kind];
  if (validator === undefined || schema === undefined) throw new Error(`no schema of kind ${kind}`);
  const unknown = unknownFields(schema, object).map((path) => `${path}: unknown field`);
  const structural = structuralProblems(validator, object);
  if (old !== undefined) validator(old);
  return [...unknown, ...structural, ...staticProblems(kind, object, old)];
}

function structuralProblems(validator: ValidateFunction, object: PlainObject): readonly string[] {
  if (validator(object)) return [];
  return (validator.errors ?? []).map((error) => {
    const missing = error.keyword === 'required' ? `/${error.params.missingProperty}` : '';
    return `${dotted(error.instancePath + missing)}: ${error.message}`;
  });
}

function dotted(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

function staticProblems(kind: string, object: PlainObject, old: PlainObject | undefined): readonly string[] {
  if (object.spec === undefined) return [];
  const found = kind === 'MarekvsCluster' ? clusterProblems(object, old) : nodeProblems(object, old);
  return found.map(({ path, message }) => `${path}: ${message}`);
}

function clusterProblems(object: PlainObject, old: PlainObject | undefined) {
  const { metadata, spec } = object as Pick<MarekvsCluster & PlainObject, 'metadata' | 'spec'>;
  const name = validateClusterName(metadata.name);
  const before = old as Pick<MarekvsCluster & PlainObject, 'spec'> | undefined;
  const problems = before === undefined ? validateNewClusterSpec(spec) : validateClusterSpec(spec, before.spec);
  return [...(name ? [name] : []), ...problems];
}

function nodeProblems(object: PlainObject, old: PlainObject | undefined) {
  return validateNode(object as MarekvsNode & PlainObject, old as (MarekvsNode & PlainObject) | undefined);
}
