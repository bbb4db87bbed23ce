// How large a status can get: etcd accepts no object above 1.5 MB, and the record of a removal must never be refused.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Json, type JsonObject, structuralSchema } from '../src/crd/structural.ts';
import { INTEGER_RANGES, MAX } from '../src/rules/limits.ts';
import { clusterStatusSchema } from '../src/schema/cluster-status.ts';
import { nodeStatusSchema } from '../src/schema/node-status.ts';
import { removalProofSchema } from '../src/schema/removal-proof.ts';

const KIB = 1024;
const TIME = '2026-01-01T00:00:00.000Z';

describe('the largest status that the schema admits, every text and list full, as JSON', () => {
  for (const { title, schema, members, limitKib } of [
    {
      title: 'of a cluster of 50, with both proofs of this and of the last removal',
      schema: clusterStatusSchema,
      members: 50,
      limitKib: 310,
    },
    {
      title: 'of a cluster of 1000, with both proofs of this and of the last removal',
      schema: clusterStatusSchema,
      members: 1000,
      limitKib: 850,
    },
    { title: 'of a node of a cluster of 1000, with its proof', schema: nodeStatusSchema, members: 1000, limitKib: 200 },
  ]) {
    const largest = fullest(structuralSchema(schema), members);
    const kib = Math.ceil(JSON.stringify(largest).length / KIB);

    it(`${title} takes ${kib} KiB, at most ${limitKib}`, () => {
      expect(kib).to.be.at.most(limitKib);
      expect(JSON.stringify(largest)).to.include('topologyHash');
    });
  }
});

describe('the status of a cluster that is as large as spec.nodes may be', () => {
  it('has room for the members that replace others, because they join before those leave', () => {
    const nodeIds = Array.from({ length: INTEGER_RANGES.nodes.max + 1 }, (_, id) => id);
    const instanceNames = nodeIds.map((id) => `demo-${id}`);
    const data = { state: 'Whole', homes: { nodeIds, replicationFactor: 2 } };
    expect(clusterStatusSchema.safeParse({ instanceNames, data }).error?.issues ?? []).to.deep.equal([]);
    const generations = structuralSchema(removalProofSchema).properties as { readonly generations: JsonObject };
    expect(generations.generations.maxProperties).to.be.at.least(nodeIds.length);
  });
});

/** A value of this schema that no other of it exceeds in length, in a cluster of so many members. */
function fullest(schema: JsonObject, members: number): Json {
  const { type, maxLength, maxItems, maxProperties, properties, items, additionalProperties } = schema;
  const times = (limit: Json | undefined) =>
    limit === MAX.members || limit === MAX.detachedVolumes || limit === MAX.comparedMembers
      ? Math.min(members, limit)
      : Number(limit);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).reduce((a, b) => (b.length > a.length ? b : a));
  if (schema.format === 'date-time') return TIME;
  if (type === 'string') return 'x'.repeat(Number(maxLength));
  if (type === 'integer' || type === 'number') return Number(schema.maximum ?? Number.MAX_SAFE_INTEGER);
  if (type === 'array' && isSchema(items))
    return Array.from({ length: times(maxItems) }, () => fullest(items, members));
  if (isSchema(properties)) {
    const entries = Object.entries(properties).filter((entry): entry is [string, JsonObject] => isSchema(entry[1]));
    return Object.fromEntries(entries.map(([name, property]) => [name, fullest(property, members)]));
  }
  if (isSchema(additionalProperties)) {
    // A schema cannot limit the keys of a map; ours are node ids.
    const entries = Array.from({ length: times(maxProperties) }, (_, id) => [
      String(64_000 + id),
      fullest(additionalProperties, members),
    ]);
    return Object.fromEntries(entries);
  }
  return true;
}

function isSchema(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
