// Every change of every field, one at a time, generated from the schema: set, grown, shrunk, emptied, removed, made
// invalid, made wrong in meaning. (Each is reverted in its life.) The order is that of the schema, so a number means
// the same change until the schema changes.

import { knowledgeOf, type Wrong } from './knowledge.ts';
import {
  type Field,
  fieldsOf,
  isInside,
  isObject,
  type Json,
  type JsonObject,
  pathText,
  type Schema,
  SPEC_SCHEMA,
} from './schema.ts';

export const CHANGE_KINDS = ['set', 'grown', 'shrunk', 'emptied', 'removed', 'invalid', 'wrong'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface Change {
  /** `tolerations[].key` */
  readonly path: string;
  readonly kind: ChangeKind;
  readonly from: JsonObject;
  readonly to: JsonObject;
  /** The reason that has to be reported for `to`; undefined: none in particular. */
  readonly says?: Wrong['says'];
}

/** The spec of a small, complete cluster. */
export const BASE_SPEC: JsonObject = { image: 'marekvs:one', nodes: 3 };

const ABSENT = Symbol('absent');
type Value = Json | typeof ABSENT;

/** Changes that would be the same life are kept once, under the first of their fields. */
export function allChanges(fields: readonly Field[] = fieldsOf()): readonly Change[] {
  const known = new Set<string>();
  return fields.flatMap(changesOf).filter(({ from, to }) => {
    const id = JSON.stringify([from, to]);
    const isNew = !known.has(id) && JSON.stringify(from) !== JSON.stringify(to);
    known.add(id);
    return isNew;
  });
}

/** All changes of one field. */
export function changesOf(field: Field): readonly Change[] {
  const { steps, path, schema, isRequired } = field;
  const change = (kind: ChangeKind, before: Value, after: Value): Change => ({
    path,
    kind,
    from: specWith(steps, before),
    to: specWith(steps, after),
  });
  const [small, large] = pairOf(path, schema);
  // A required field is never absent, and an item without a value is no item.
  const isItem = isInside(steps.at(-1) ?? '');
  const { wrong = [], isNeeded = false } = knowledgeOf(path);
  const isPresent = isRequired || isItem || isNeeded;
  return [
    ...(isPresent ? [] : [change('set', ABSENT, small)]),
    change('grown', small, large),
    change('shrunk', large, small),
    ...emptyOf(schema).map((empty) => change('emptied', small, empty)),
    ...(isItem ? [] : [change('removed', small, ABSENT)]),
    ...invalidOf(schema).map((value) => change('invalid', isPresent ? small : ABSENT, value)),
    ...wrong.map(
      ({ value, beside = {}, says }): Change => ({
        path,
        kind: 'wrong',
        from: BASE_SPEC,
        to: { ...specWith(steps, value), ...beside },
        says,
      }),
    ),
  ];
}

/** The base spec with this value at a path, and everything that the path needs around it. */
export function specWith(steps: readonly string[], value: Value): JsonObject {
  const made = put(BASE_SPEC, SPEC_SCHEMA, [], steps, value);
  if (!isObject(made)) throw new TypeError(`${pathText(steps)} is not in an object`);
  return made;
}

function put(present: Json, schema: Schema, done: readonly string[], steps: readonly string[], value: Value): Json {
  const [step, ...rest] = steps;
  if (step === undefined) throw new RangeError('a path has at least one step');
  const own = [...done, step];
  const child = schemaAt(schema, step);
  const inner = (before: Json | undefined): Value =>
    rest.length === 0 ? value : put(before ?? baseOf(pathText(own), child), child, own, rest, value);
  if (step === '[]') {
    const [first, ...others] = Array.isArray(present) ? (present as readonly Json[]) : [];
    const item = inner(first);
    return item === ABSENT ? others : [item, ...others];
  }
  const object = isObject(present) ? present : {};
  const key = step === '{}' ? (Object.keys(object)[0] ?? 'example') : step;
  const { [key]: before, ...others } = object;
  const next = inner(before);
  return next === ABSENT ? others : { ...others, [key]: next };
}

function schemaAt({ properties, items, additionalProperties }: Schema, step: string): Schema {
  const found = step === '[]' ? items : step === '{}' ? additionalProperties : properties?.[step];
  if (found === undefined) throw new RangeError(`no ${step} here`);
  return found;
}

/** The smallest useful value of a field. */
function baseOf(path: string, schema: Schema): Json {
  const { base, values } = knowledgeOf(path);
  if (base !== undefined) return base;
  if (values !== undefined) return values[0];
  const { type, properties = {}, required = [], items, additionalProperties } = schema;
  if (items !== undefined) return [baseOf(`${path}[]`, items)];
  if (additionalProperties !== undefined) return { example: baseOf(`${path}{}`, additionalProperties) };
  if (type !== 'object') return pairOf(path, schema)[0];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, child]) => [name, baseOf(`${path}.${name}`, child)]),
  );
}

/** Two values of a field, the smaller one first if they can be ordered. */
function pairOf(path: string, schema: Schema): readonly [Json, Json] {
  const { values } = knowledgeOf(path);
  if (values !== undefined) return values;
  const { type, minimum = 1 } = schema;
  if (schema.enum !== undefined) return [schema.enum[0] ?? '', schema.enum.at(-1) ?? ''];
  if (schema.items !== undefined) {
    const own = baseOf(path, schema);
    const [first, second] = pairOf(`${path}[]`, schema.items);
    return [own, [...(Array.isArray(own) ? (own as readonly Json[]) : [first]), second]];
  }
  if (schema.additionalProperties !== undefined) {
    const own = baseOf(path, schema);
    return [own, { ...(isObject(own) ? own : {}), another: pairOf(`${path}{}`, schema.additionalProperties)[1] }];
  }
  if (type === 'object') return objectPair(path, schema);
  if (type === 'boolean') return [false, true];
  return type === 'integer' || type === 'number' ? [minimum, minimum + 1] : ['one', 'two'];
}

/** An object is larger with one more of its fields. */
function objectPair(path: string, schema: Schema): readonly [Json, Json] {
  const own = baseOf(path, schema);
  const fields = isObject(own) ? own : {};
  const more = Object.entries(schema.properties ?? {}).find(([name]) => fields[name] === undefined);
  return [own, more === undefined ? own : { ...fields, [more[0]]: baseOf(`${path}.${more[0]}`, more[1]) }];
}

function emptyOf({ type, items, additionalProperties, properties }: Schema): readonly Json[] {
  if (items !== undefined) return [[]];
  if (additionalProperties !== undefined || properties !== undefined) return [{}];
  return type === 'string' || type === undefined ? [''] : [];
}

/** Values of another type, and beyond each limit. */
function invalidOf(schema: Schema): readonly Json[] {
  const { type, minimum, maximum, maxLength, maxItems, maxProperties, items, additionalProperties } = schema;
  const other: Json = type === 'string' || type === undefined ? { not: 'a text' } : 'of another type';
  return [
    other,
    ...(schema.enum === undefined ? [] : ['Nonsense']),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined ? [] : [maximum + 1]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(maxItems === undefined || items === undefined
      ? []
      : [Array.from({ length: maxItems + 1 }, () => baseOf('[]', items))]),
    ...(maxProperties === undefined || additionalProperties === undefined
      ? []
      : [Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`k${index}`, 'x']))]),
  ];
}
