// What strict field validation of the API server adds to a schema: it finds fields that the schema does not have.

import type { Json, JsonObject } from '../src/crd/structural.ts';

/** Paths of the fields that would be dropped, as the API server names them. */
export function unknownFields(schema: JsonObject, value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isObject(items) ? value.flatMap((entry, index) => unknownFields(items, entry, `${path}[${index}]`)) : [];
  }
  const { properties } = schema;
  if (!isObject(properties) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const property = properties[name];
    return isObject(property) ? unknownFields(property, child, at) : [at];
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
