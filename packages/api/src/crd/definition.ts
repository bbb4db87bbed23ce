// A CustomResourceDefinition around a spec and a status schema: what both kinds have in common.

import type { z } from 'zod';
import { GROUP, VERSION } from '../names/labels.ts';
import type { CelRule } from '../schema/field.ts';
import { type Json, type JsonObject, structuralSchema } from './structural.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1 = shown with `-o wide` only. */
  readonly priority?: 1;
}

export function column(
  name: string,
  type: PrinterColumn['type'],
  jsonPath: string,
  description: string,
): PrinterColumn {
  return { name, type, jsonPath, description };
}

/** A column that is shown with `-o wide` only. */
export function wide(...[name, type, jsonPath, description]: Parameters<typeof column>): PrinterColumn {
  return { ...column(name, type, jsonPath, description), priority: 1 };
}

export interface KindDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  /** Rules over the whole object; of metadata they see `name` only. */
  readonly rules: readonly CelRule[];
  readonly columns: readonly PrinterColumn[];
  readonly scale?: JsonObject;
  readonly selectableFields?: readonly string[];
}

/** The CustomResourceDefinition of a kind, as plain JSON. Pure and deterministic.
 *  @throws SchemaError when a schema is not structural */
export function customResourceDefinition(kind: KindDefinition): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}`, labels: { 'app.kubernetes.io/part-of': 'marekvs' } },
    spec: {
      group: GROUP,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['marekvs'],
      },
      scope: 'Namespaced',
      versions: [version(kind)],
    },
  };
}

/** The schema of the whole object: what the API server validates and `ajv` can. */
export function objectSchema(kind: KindDefinition): JsonObject {
  return {
    description: kind.description,
    type: 'object',
    required: ['spec'],
    'x-kubernetes-validations': kind.rules.map((rule): Json => ({ ...rule })),
    properties: {
      apiVersion: { description: 'Version of the schema of this object.', type: 'string' },
      kind: { description: 'Kind of this object.', type: 'string' },
      metadata: { type: 'object' },
      spec: structuralSchema(kind.spec),
      status: structuralSchema(kind.status),
    },
  };
}

function version(kind: KindDefinition): JsonObject {
  const { selectableFields } = kind;
  return {
    name: VERSION,
    served: true,
    storage: true,
    additionalPrinterColumns: kind.columns.map((column): Json => ({ ...column })),
    ...(selectableFields ? { selectableFields: selectableFields.map((jsonPath): Json => ({ jsonPath })) } : {}),
    subresources: { status: {}, ...(kind.scale ? { scale: kind.scale } : {}) },
    schema: { openAPIV3Schema: objectSchema(kind) },
  };
}
