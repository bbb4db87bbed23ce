// The generated definitions: structure, subresources, and that the committed files are what the schemas generate.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { CLUSTER_KIND } from '../src/crd/cluster-kind.ts';
import { customResourceDefinition } from '../src/crd/definition.ts';
import { NODE_KIND } from '../src/crd/node-kind.ts';
import { type Json, type JsonObject, SchemaError, structuralSchema } from '../src/crd/structural.ts';
import { DEFAULTS, withDefaults } from '../src/index.ts';

const CRDS = join(import.meta.dirname, '..', '..', '..', 'crds');

for (const kind of [CLUSTER_KIND, NODE_KIND]) {
  const definition = customResourceDefinition(kind);

  describe(`the definition of ${kind.kind}`, () => {
    it('is the same as the file in crds/', () => {
      expect(load(readFileSync(join(CRDS, `${kind.plural}.yaml`), 'utf8'))).to.deep.equal(definition);
    });

    it('has no integer bound that the API server would round, and no closed object', () => {
      for (const node of nodes(definition)) {
        expect(Math.abs(Number(node.minimum ?? 0))).to.be.below(2 ** 52);
        expect(Math.abs(Number(node.maximum ?? 0))).to.be.below(2 ** 52);
        expect(node.additionalProperties).to.not.equal(false);
      }
    });

    it('names the field and a right value in the message of every rule', () => {
      const rules = nodes(definition).filter((node) => typeof node.rule === 'string');
      expect(rules).to.not.have.lengthOf(0);
      for (const rule of rules)
        expect(rule.message).to.match(/^(spec|metadata)\.[a-zA-Z.]+ (values |names )?(must|is|needs)/);
    });

    it('has every default in the description of its field', () => {
      const silent = nodes(definition).filter((node) => {
        const value = node.default;
        return value !== undefined && !isEmptyObject(value) && !String(node.description).includes(`Default ${value}`);
      });
      expect(silent.map((node) => node.description)).to.deep.equal([]);
    });
  });
}

/** What a Pod may ask for and a tenant may not: the host, more rights, another program or another identity. */
const NOT_FOR_TENANTS =
  /^(host(Network|PID|IPC|Path|Users|Port)|privileged|securityContext|capabilities|runAs.*|serviceAccount.*|automount.*|volumes|volumeMounts|command|args|containers|initContainers|sidecars|runtimeClassName|schedulerName|nodeName)$/;

describe('the spec of a MarekvsCluster', () => {
  it('has no field that asks for more than a restricted Pod may have', () => {
    const names = nodes(structuralSchema(CLUSTER_KIND.spec)).flatMap(({ properties }) => Object.keys(properties ?? {}));
    expect(names).to.include.members(['image', 'nodeSelector', 'podSelector']);
    expect(names.filter((name) => NOT_FOR_TENANTS.test(name))).to.deep.equal([]);
  });
});

describe('the definition of MarekvsCluster, as the API server fills it in', () => {
  it('has the same defaults as withDefaults()', () => {
    const schema = structuralSchema(CLUSTER_KIND.spec);
    const effective = withDefaults({ image: 'marekvs:1', volumeRetention: {}, update: {}, removal: {} });
    const filled = filledIn(schema, { image: 'marekvs:1', volumeRetention: {}, update: {}, removal: {} });
    // reclaimPvcs becomes volumeRetention.whenScaled, which has no default of its own: it follows reclaimPvcs.
    const { reclaimPvcs, volumeRetention, ...same } = filled;
    for (const [name, value] of Object.entries(same)) expect(effective).to.have.deep.property(name, value);
    expect(reclaimPvcs).to.equal(DEFAULTS.reclaimPvcs);
    expect(volumeRetention).to.deep.equal({ whenDeleted: effective.volumeRetention.whenDeleted });
  });

  it('scales spec.nodes and shows the selector as text', () => {
    expect(CLUSTER_KIND.scale).to.deep.equal({
      specReplicasPath: '.spec.nodes',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    });
  });

  it('has the columns of the contract in their order', () => {
    const names = (wide: boolean) =>
      CLUSTER_KIND.columns
        .filter((column) => (column.priority === 1) === wide)
        .map((column) => column.name.toUpperCase());
    expect(names(false)).to.deep.equal(['DESIRED', 'READY', 'UNDERREP', 'OPS/S', 'DATA', 'PHASE', 'BLOCKED']);
    expect(names(true)).to.deep.equal(['UPDATED', 'MIN', 'MAX', 'OPERATION', 'AGE']);
    const pathOf = (name: string) => CLUSTER_KIND.columns.find((column) => column.name === name)?.jsonPath;
    expect(pathOf('Operation')).to.equal('.status.operation.phase');
    expect(pathOf('Blocked')).to.equal('.status.blockedBy');
    expect(pathOf('Data')).to.equal('.status.data.state');
  });
});

describe('a structural schema', () => {
  const described = (schema: z.ZodType) => z.object({ field: schema.meta({ description: 'A field.' }) });
  const REFUSED: readonly (readonly [string, z.ZodType, string])[] = [
    ['a text without maxLength', described(z.string()), 'text without maxLength'],
    ['a list without maxItems', described(z.array(z.boolean())), 'list without maxItems'],
    ['a map without maxProperties', described(z.record(z.string(), z.boolean())), 'map without maxProperties'],
    ['a field without description', z.object({ field: z.boolean() }), 'no description'],
    ['a closed object', described(z.strictObject({})), 'additionalProperties: false'],
    ['a choice of types', described(z.union([z.boolean(), z.int()])), 'anyOf'],
    ['a null', described(z.boolean().nullable()), 'not structural'],
  ];
  for (const [title, schema, message] of REFUSED) {
    it(`refuses ${title}, naming the field`, () => {
      expect(() => structuralSchema(schema))
        .to.throw(SchemaError, message)
        .with.property('message')
        .that.includes('.field');
    });
  }
});

/** Every object in a definition, at any depth. */
function nodes(value: Json): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((entry: Json) => nodes(entry));
  if (!isObject(value)) return [];
  return [value, ...Object.values(value).flatMap(nodes)];
}

/** The object as the API server stores it: with defaults of absent fields, then of what these contain. */
function filledIn(schema: JsonObject, given: JsonObject): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const entries = Object.entries(properties).flatMap(([name, property]): [string, Json][] => {
    const value = isObject(property) ? (given[name] ?? property.default) : undefined;
    if (value === undefined || !isObject(property)) return [];
    return [[name, isObject(value) ? filledIn(property, value) : value]];
  });
  return Object.fromEntries(entries);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyObject(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
