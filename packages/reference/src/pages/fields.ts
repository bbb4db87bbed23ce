// The fields of one kind, from the schema that the CustomResourceDefinition is made of too.

import { type JsonObject, type KindDefinition, objectSchema } from '@marekvs/api/reference';
import { code, codes, page, table } from '../text/markdown.ts';
import { FIRST_VERSION, LATER_FIELDS } from '../text/since.ts';

interface Field {
  readonly path: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

export function fieldsPage(kind: KindDefinition): string {
  const schema = objectSchema(kind);
  const fields = fieldsOf(schema).filter(({ path }) => /^(spec|status)(\.|$)/.test(path));
  const part = (root: string) =>
    fields.filter(({ path }) => path.startsWith(`${root}.`)).map((field) => row(kind, field));
  const head = ['field', 'type', 'default', 'limits', 'meaning', 'since'];
  const rules = [...rulesOf('', schema), ...fields.flatMap(({ path, schema: own }) => rulesOf(path, own))];
  return page({
    title: kind.kind,
    source: 'packages/api/src/schema',
    blocks: [
      `${kind.description} Short name ${codes(kind.shortNames)}, namespaced, \`marekvs.io/v1alpha1\`. Fields of lists are below \`[]\`, of maps below \`{}\`.`,
      '## Spec',
      table(head, part('spec')),
      '## Rules',
      'The API server refuses an object that breaks one of these rules, with this message. For an object that was stored before the rule existed, the operator puts the same message into the condition `Stalled`, with the reason [`InvalidSpec`](../errors.md#invalidspec).',
      table(['field', 'message'], rules),
      '## Status',
      table(head, part('status')),
      '## Columns of `kubectl get`',
      table(
        ['column', 'from', 'meaning', 'shown'],
        kind.columns.map(({ name, jsonPath, description, priority }) => [
          name.toUpperCase(),
          code(jsonPath),
          description,
          priority === 1 ? 'with `-o wide`' : 'always',
        ]),
      ),
    ],
  });
}

/** Every field below a schema, in its order. */
export function fieldsOf(schema: JsonObject, at = ''): readonly Field[] {
  const { properties, items, additionalProperties, required } = schema;
  const names = Array.isArray(required) ? required : [];
  return [
    ...Object.entries(asObject(properties)).flatMap(([name, child]) => {
      const path = at === '' ? name : `${at}.${name}`;
      const own = asObject(child);
      return [{ path, schema: own, isRequired: names.includes(name) }, ...fieldsOf(own, path)];
    }),
    ...(items === undefined ? [] : fieldsOf(asObject(items), `${at}[]`)),
    ...(additionalProperties === undefined ? [] : fieldsOf(asObject(additionalProperties), `${at}{}`)),
  ];
}

function row(kind: KindDefinition, { path, schema, isRequired }: Field): readonly string[] {
  const { default: byDefault, description } = schema;
  const shown = isRequired ? 'required' : byDefault === undefined ? '' : code(JSON.stringify(byDefault));
  const since = LATER_FIELDS[`${kind.kind} ${path}`] ?? FIRST_VERSION;
  return [code(path), typeOf(schema), shown, limitsOf(schema), String(description ?? ''), since];
}

function typeOf(schema: JsonObject): string {
  const { type, format, items, additionalProperties } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return 'quantity';
  if (Array.isArray(schema.enum)) return 'one of';
  if (type === 'array') return `list of ${typeOf(asObject(items))}`;
  if (additionalProperties !== undefined) return `map of ${typeOf(asObject(additionalProperties))}`;
  if (format === 'date-time') return 'time';
  return String(type ?? 'object');
}

function limitsOf(schema: JsonObject): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, enum: values } = schema;
  const limits = [
    Array.isArray(values) ? codes(values.map(String)) : '',
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minimum !== undefined && maximum === undefined ? `from ${minimum}` : '',
    minimum === undefined && maximum !== undefined ? `up to ${maximum}` : '',
    Number(minLength ?? minItems ?? 0) > 0 ? 'not empty' : '',
    maxLength === undefined ? '' : `${maxLength} characters`,
    maxItems === undefined ? '' : `${maxItems} entries`,
    maxProperties === undefined ? '' : `${maxProperties} entries`,
  ];
  return limits.filter((limit) => limit !== '').join(', ');
}

function rulesOf(path: string, schema: JsonObject): readonly (readonly string[])[] {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.map((rule: unknown) => {
    const { message, fieldPath } = rule as { readonly message?: string; readonly fieldPath?: string };
    return [code(path === '' ? 'the whole object' : `${path}${fieldPath ?? ''}`), message ?? ''];
  });
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
