// What the schema of a MarekvsCluster says about a value: its fields, the defaults that the API server fills in, and
// what it refuses. Supports only the keywords our own schemas use. test-e2e/journeys/fields.test.ts checks that the
// result is that of a real API server.

import { CLUSTER_SPEC_STRUCTURE, type Json, type JsonObject } from '@marekvs/api/cluster-spec-structure';

export type { Json, JsonObject } from '@marekvs/api/cluster-spec-structure';

/** One place in the schema. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

/** A field of the spec. */
export interface Field {
  /** Field names, with `[]` for an item of a list and `{}` for a value of a map. */
  readonly steps: readonly string[];
  /** `tolerations[].key` */
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

// The generator uses only the keywords of `Schema`.
export const SPEC_SCHEMA = CLUSTER_SPEC_STRUCTURE as Schema;

/** Every field below the spec, parents before their children. */
export function fieldsOf(schema: Schema = SPEC_SCHEMA, steps: readonly string[] = []): readonly Field[] {
  return childrenOf(schema).flatMap(([step, child]) => {
    const own = [...steps, step];
    const field = {
      steps: own,
      path: pathText(own),
      schema: child,
      isRequired: schema.required?.includes(step) === true,
    };
    return [field, ...fieldsOf(child, own)];
  });
}

export function pathText(steps: readonly string[]): string {
  return steps.reduce((text, step) => (isInside(step) || text === '' ? text + step : `${text}.${step}`), '');
}

/** A step into a list or a map. */
export function isInside(step: string): boolean {
  return step === '[]' || step === '{}';
}

function childrenOf({ properties = {}, items, additionalProperties }: Schema): readonly (readonly [string, Schema])[] {
  return [
    ...Object.entries(properties),
    ...(items === undefined ? [] : [['[]', items] as const]),
    ...(additionalProperties === undefined ? [] : [['{}', additionalProperties] as const]),
  ];
}

/** The value with the defaults that the API server adds when storing it. */
export function filledIn(value: Json, schema: Schema = SPEC_SCHEMA): Json {
  if (Array.isArray(value))
    return value.map((item: Json) => (schema.items === undefined ? item : filledIn(item, schema.items)));
  if (!isObject(value)) return value;
  const filled: Record<string, Json> = { ...value };
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const present = filled[name] ?? child.default;
    if (present !== undefined) filled[name] = filledIn(present, child);
  }
  return filled;
}

/** All violations of the schema, each with its path. Unknown fields are not checked: `kubectl` refuses those. */
export function schemaProblems(value: Json, schema: Schema = SPEC_SCHEMA, path = 'spec'): readonly string[] {
  const wrong = isOfType(value, schema.type)
    ? [...limitProblems(value, schema)]
    : [`must be of type ${schema.type ?? 'integer or string'}`];
  const own = wrong.map((what) => `${path}: ${what}`);
  if (own.length > 0) return own;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? []
      : value.flatMap((item: Json, index) => schemaProblems(item, items, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    return known === undefined ? [] : schemaProblems(child, known, `${path}.${name}`);
  });
}

function isOfType(value: Json, type: Schema['type']): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      return typeof value === 'string' || Number.isInteger(value);
  }
}

function* limitProblems(value: Json, schema: Schema): Iterable<string> {
  const {
    minimum = -Infinity,
    maximum = Infinity,
    minItems = 0,
    maxItems = Infinity,
    maxProperties = Infinity,
  } = schema;
  const { minLength = 0, maxLength = Infinity, required = [] } = schema;
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema.enum !== undefined && !schema.enum.includes(String(value)))
    yield `must be one of ${schema.enum.join(', ')}`;
  if (typeof value === 'number' && (value < minimum || value > maximum)) yield `must be ${minimum} to ${maximum}`;
  if (typeof value === 'string' && (value.length < minLength || value.length > maxLength))
    yield `must have ${minLength} to ${maxLength} characters`;
  if (Array.isArray(value)) {
    if (value.length < minItems || value.length > maxItems) yield `must have ${minItems} to ${maxItems} items`;
    const names =
      keys === undefined
        ? []
        : value.map((item: Json) => JSON.stringify(keys.map((key) => isObject(item) && item[key])));
    if (new Set(names).size < names.length) yield `must not have two items of one ${keys?.join()}`;
  } else if (isObject(value)) {
    if (Object.keys(value).length > maxProperties) yield `must have at most ${maxProperties} entries`;
    for (const name of required) if (value[name] === undefined) yield `needs ${name}`;
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
