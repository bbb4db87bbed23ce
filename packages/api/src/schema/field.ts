// Helpers for writing schemas: every field says what it means, its unit and its default.
// Defaults are schema annotations only (the API server fills them in); withDefaults() repeats them for older objects.

import { z } from 'zod';
import { DEFAULTS, INTEGER_RANGES, MAX, type Range } from '../rules/limits.ts';
import { valueAt } from '../values/is-record.ts';

/** A CEL rule of a structural schema. The message names the field and says what would be right. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired';
}

export interface Annotations {
  readonly default?: unknown;
  readonly rules?: readonly CelRule[];
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

/** The schema with its description, default and rules. */
export function describe<S extends z.ZodType>(schema: S, description: string, annotations: Annotations = {}): S {
  const { rules, ...rest } = annotations;
  return schema.meta({ description, ...rest, ...(rules ? { 'x-kubernetes-validations': rules } : {}) });
}

/** The same for an optional field. */
export function optional<S extends z.ZodType>(
  schema: S,
  description: string,
  annotations?: Annotations,
): z.ZodOptional<S> {
  return describe(schema, description, annotations).optional();
}

/** An optional integer of the cluster's spec, with the range and the default of its path. */
export function setting(
  path: keyof typeof INTEGER_RANGES,
  description: string,
  rules?: readonly CelRule[],
): z.ZodOptional<z.ZodInt> {
  const value = valueAt(DEFAULTS, path);
  return optional(integer(INTEGER_RANGES[path]), description, {
    ...(value === undefined ? {} : { default: value }),
    ...(rules === undefined ? {} : { rules }),
  });
}

/** A list that is replaced as a whole. */
export function list<S extends z.ZodType>(element: S, most: number = MAX.listEntries): z.ZodArray<S> {
  return z.array(element).max(most).meta({ 'x-kubernetes-list-type': 'atomic' });
}

/** Text of at most `max` characters. */
export function text(max: number, min = 0): z.ZodString {
  const bounded = z.string().max(max);
  return min > 0 ? bounded.min(min) : bounded;
}

export function integer(range: Range): z.ZodInt {
  return z.int().min(range.min).max(range.max);
}

/** Any non-negative integer a counter can hold. */
export function count(): z.ZodInt {
  return z.int().min(0);
}

/** An RFC 3339 time. */
export function time(): z.ZodString {
  return z.string().meta({ format: 'date-time' });
}

/** A map of texts; `maxValue` bounds each value. */
export function textMap(maxEntries: number, maxValue: number): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), text(maxValue)).meta({ maxProperties: maxEntries });
}

/** A Kubernetes quantity, written as text or as a whole number. */
export function quantity(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]).meta({ 'x-kubernetes-int-or-string': true, maxLength: MAX.quantity });
}
