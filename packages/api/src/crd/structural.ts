// From a zod schema to the structural schema of a CustomResourceDefinition. What a CRD must not contain is removed if
// it is noise, and is an error if it is a mistake in the schema.

import { z } from 'zod';

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A schema that Kubernetes would refuse or that a user could not read. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const KEY_ORDER = ['description', 'type', 'format', 'default', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength'];
const NOT_STRUCTURAL = ['patternProperties', '$ref', 'allOf', 'oneOf', 'not', 'nullable', 'const'];

/** The structural schema of everything an object may contain. Deterministic.
 *  @throws SchemaError for a construct CRDs do not allow, a field without description, or an unbounded text, list or
 *  map (the API server refuses CEL rules over those) */
export function structuralSchema(schema: z.ZodType): JsonObject {
  // The round trip leaves plain JSON: what the library hands out carries more than its declared type.
  const raw: Json = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input' })));
  if (!isJsonObject(raw)) throw new SchemaError('the schema is not an object');
  return convert(raw, 'object');
}

function convert(node: JsonObject, path: string): JsonObject {
  for (const key of NOT_STRUCTURAL) if (key in node) throw new SchemaError(`${path}: ${key} is not structural`);
  if (node['x-kubernetes-int-or-string'] === true) {
    return ordered({ ...node, anyOf: [{ type: 'integer' }, { type: 'string' }] });
  }
  if ('anyOf' in node) throw new SchemaError(`${path}: anyOf is for int-or-string only`);
  checkBounds(node, path);
  return ordered({ ...withoutNoise(node), ...integerFormat(node), ...children(node, path) });
}

function children(node: JsonObject, path: string): JsonObject {
  const { properties, items, additionalProperties } = node;
  return {
    ...(isJsonObject(properties) ? { properties: convertProperties(properties, path) } : {}),
    ...(isJsonObject(items) ? { items: convert(items, `${path}[]`) } : {}),
    ...(isJsonObject(additionalProperties) ? { additionalProperties: convert(additionalProperties, `${path}{}`) } : {}),
  };
}

function convertProperties(properties: JsonObject, path: string): JsonObject {
  const entries = Object.entries(properties).map(([name, property]): [string, Json] => {
    const at = `${path}.${name}`;
    if (!isJsonObject(property)) throw new SchemaError(`${at}: not a schema`);
    if (typeof property.description !== 'string') throw new SchemaError(`${at}: has no description`);
    return [name, convert(property, at)];
  });
  return Object.fromEntries(entries);
}

function checkBounds(node: JsonObject, path: string): void {
  const { type } = node;
  if (type === undefined) throw new SchemaError(`${path}: has no type`);
  if (node.additionalProperties === false) throw new SchemaError(`${path}: additionalProperties: false`);
  if (type === 'string' && !('enum' in node) && !('maxLength' in node) && node.format !== 'date-time') {
    throw new SchemaError(`${path}: text without maxLength`);
  }
  if (type === 'array' && !('maxItems' in node)) throw new SchemaError(`${path}: list without maxItems`);
  if ('additionalProperties' in node && !('maxProperties' in node)) {
    throw new SchemaError(`${path}: map without maxProperties`);
  }
}

/** Bounds of ±(2^53-1) are the library's "any integer"; the API server reads them as doubles and rounds. */
function withoutNoise(node: JsonObject): JsonObject {
  const kept = Object.entries(node).filter(
    ([key, value]) =>
      !(key === 'minimum' && value === Number.MIN_SAFE_INTEGER) &&
      !(key === 'maximum' && value === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(kept);
}

function integerFormat(node: JsonObject): JsonObject {
  if (node.type !== 'integer') return {};
  const { maximum } = node;
  return { format: typeof maximum === 'number' && maximum < 2 ** 31 ? 'int32' : 'int64' };
}

/** Keys that people read first come first, then the rest in their given order. */
function ordered(node: JsonObject): JsonObject {
  const rank = (key: string) => (KEY_ORDER.includes(key) ? KEY_ORDER.indexOf(key) : KEY_ORDER.length);
  return Object.fromEntries(Object.entries(node).sort(([a], [b]) => rank(a) - rank(b)));
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
