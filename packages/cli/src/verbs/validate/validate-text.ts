// Answers: would the API server take these manifests? Offline: the schema of the definitions as strict validation
// applies it, and the static rules, with the line each problem is on. Pure.

import {
  type FieldProblem,
  isRecord,
  type MarekvsCluster,
  type MarekvsNode,
  minimumNodes,
  oncePerText,
  validateClusterName,
  validateNewClusterSpec,
  validateNode,
} from '@marekvs/api';
import { CLUSTER_KIND, type JsonObject, type KindDefinition, NODE_KIND, objectSchema } from '@marekvs/api/crd';
import { Ajv, type ErrorObject } from 'ajv';
import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Place {
  /** Dotted, from the root of the object; empty for the document. */
  readonly path: string;
  readonly message: string;
  /** A note does not make the manifest invalid. */
  readonly kind: 'error' | 'note';
}

export interface Verdict {
  /** `MarekvsCluster demo`, or what else the document is. */
  readonly what: string;
  readonly isChecked: boolean;
  readonly problems: readonly Problem[];
}

interface Definition {
  readonly schema: JsonObject;
  readonly validate: ReturnType<Ajv['compile']>;
}

const KINDS: Readonly<Record<string, KindDefinition>> = { MarekvsCluster: CLUSTER_KIND, MarekvsNode: NODE_KIND };

/** One verdict per object. A document is an object or a List, as `kubectl get -o yaml` prints it. Never throws,
 *  whatever the text contains. */
export function validateText(text: string): readonly Verdict[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => judge(document as Document.Parsed, lines));
}

function judge(document: Document.Parsed, lines: LineCounter): readonly Verdict[] {
  const syntax = document.errors.map((error): Problem => {
    const { line, col } = lines.linePos(error.pos[0]);
    return { line, column: col, path: '', message: error.message, kind: 'error' };
  });
  if (syntax.length > 0) return [{ what: 'a document', isChecked: true, problems: syntax }];
  return listed(plain(document)).map(({ object, keys }) =>
    judgeObject(object, (path) => placeOf(document, lines, [...keys, ...path])),
  );
}

interface Listed {
  readonly object: Readonly<Record<string, unknown>> | undefined;
  /** Its path in the document. */
  readonly keys: readonly (string | number)[];
}

function listed(object: Listed['object']): readonly Listed[] {
  const { kind, items } = object ?? {};
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ object, keys: [] }];
  return items.map((item: unknown, index) => ({ object: isRecord(item) ? item : undefined, keys: ['items', index] }));
}

function judgeObject(object: Listed['object'], at: (path: readonly (string | number)[]) => Place): Verdict {
  const kind = typeof object?.kind === 'string' ? object.kind : undefined;
  const name = isRecord(object?.metadata) ? String(object.metadata.name ?? 'without a name') : 'without a name';
  const isOurs =
    kind !== undefined && Object.hasOwn(KINDS, kind) && String(object?.apiVersion).startsWith('marekvs.io/');
  if (object === undefined || kind === undefined || !isOurs)
    return {
      what: kind === undefined ? 'a document without a kind' : `${kind} ${name}`,
      isChecked: false,
      problems: [],
    };
  // When a rule of ours and the schema complain about the same field, ours is kept: it says what would be right.
  const rules = isRecord(object.spec) ? staticProblems(kind, object) : [];
  const isCovered = ({ keys }: Found) => rules.some((rule) => dotted(rule.keys) === dotted(keys));
  const found = [
    ...versionProblems(object),
    ...schemaProblems(kind, object).filter((one) => !isCovered(one)),
    ...rules,
  ];
  const notes = found.length === 0 && kind === 'MarekvsCluster' ? [...sizeNotes(object), ...updateNotes(object)] : [];
  const problems = [...found, ...notes].map(({ keys, ...rest }) => ({
    ...rest,
    path: dotted(keys),
    ...at(keys),
  }));
  return { what: `${kind} ${name}`, isChecked: true, problems: problems.sort((a, b) => a.line - b.line) };
}

interface Found {
  readonly keys: readonly (string | number)[];
  readonly message: string;
  readonly kind: Problem['kind'];
}

function versionProblems(object: Readonly<Record<string, unknown>>): readonly Found[] {
  return object.apiVersion === 'marekvs.io/v1alpha1'
    ? []
    : [{ keys: ['apiVersion'], message: 'the only version is marekvs.io/v1alpha1', kind: 'error' }];
}

function schemaProblems(kind: string, object: Readonly<Record<string, unknown>>): readonly Found[] {
  const { schema, validate } = definitionOf(kind);
  const unknown = unknownKeys(schema, object, []).map(
    (keys): Found => ({ keys, message: 'is no field of this kind', kind: 'error' }),
  );
  if (validate(object)) return unknown;
  const wrong = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf').map(toFound);
  return [...unknown, ...distinct(wrong)];
}

function toFound({ instancePath, keyword, params, message }: ErrorObject): Found {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const all = keyword === 'required' ? [...keys, String(params.missingProperty)] : keys;
  if (keyword === 'required') return { keys: all, message: 'is required', kind: 'error' };
  const allowed = keyword === 'enum' ? `: ${(params.allowedValues as readonly unknown[]).join(', ')}` : '';
  return { keys: all, message: `${message ?? 'is wrong'}${allowed}`, kind: 'error' };
}

/** One error per field: a value that is neither int nor string gives two for an int-or-string. */
function distinct(found: readonly Found[]): readonly Found[] {
  const byPath = new Map<string, Found>();
  for (const one of found) if (!byPath.has(dotted(one.keys))) byPath.set(dotted(one.keys), one);
  return [...byPath.values()];
}

function staticProblems(kind: string, object: Readonly<Record<string, unknown>>): readonly Found[] {
  // The rules take values of any shape, because they also check objects that were stored under an older schema.
  if (kind === 'MarekvsNode') return validateNode(object as unknown as MarekvsNode).map(fromRule);
  const { spec, metadata } = object as unknown as MarekvsCluster;
  const named = validateClusterName(String(metadata?.name ?? ''));
  return [...(named === undefined ? [] : [named]), ...validateNewClusterSpec(spec)].map(fromRule);
}

/** Sizes that are stored all the same: a cluster may be made before its replicationFactor is lowered. */
function sizeNotes(object: Readonly<Record<string, unknown>>): readonly Found[] {
  const { spec } = object as unknown as MarekvsCluster;
  if (spec.autoscale !== undefined) return autoscaleNotes(spec);
  const floor = minimumNodes(spec);
  const { maxNodes } = spec.hosts?.onePerHost ?? {};
  if (maxNodes !== undefined && maxNodes < floor)
    return [
      note(
        ['hosts', 'onePerHost', 'maxNodes'],
        `is ${maxNodes}, ${belowText(floor)}: the operator keeps ${floor} nodes`,
      ),
    ];
  if (spec.hosts?.onePerHost !== undefined) return [];
  if (spec.nodes === undefined || spec.nodes >= floor) return [];
  return [note(['nodes'], `is ${spec.nodes}, ${belowText(floor)}: the operator keeps ${floor} nodes`)];
}

/** Notes a limit that is kept to but never reached (docs/decisions/rolling-updates.md). */
function updateNotes(object: Readonly<Record<string, unknown>>): readonly Found[] {
  const { maxUnavailable = 1, minAvailablePercent } = (object as unknown as MarekvsCluster).spec.update ?? {};
  const allTheSame = 'members are restarted one at a time all the same';
  return [
    ...(maxUnavailable <= 1 ? [] : [note(['update', 'maxUnavailable'], `is ${maxUnavailable}: ${allTheSame}`)]),
    ...(minAvailablePercent === undefined
      ? []
      : [note(['update', 'minAvailablePercent'], 'has no effect: remove it from the file')]),
  ];
}

/** Notes bounds that are accepted, but do not have the effect that they suggest. */
function autoscaleNotes(spec: MarekvsCluster['spec']): readonly Found[] {
  const { minNodes = 1, maxNodes = 1 } = spec.autoscale ?? {};
  const floor = minimumNodes(spec);
  const smallest = Math.max(minNodes, floor);
  const largest = Math.max(maxNodes, floor);
  const min = ['autoscale', 'minNodes'];
  const max = ['autoscale', 'maxNodes'];
  const nodes = spec.nodes ?? smallest;
  const first = Math.min(Math.max(nodes, smallest), largest);
  return [
    ...(maxNodes < floor ? [note(max, `is ${maxNodes}, ${belowText(floor)}: the operator keeps ${floor} nodes`)] : []),
    ...(minNodes < floor && maxNodes >= floor
      ? [note(min, `is ${minNodes}, ${belowText(floor)}: it never has fewer than ${floor} nodes`)]
      : []),
    ...(smallest === largest && maxNodes >= floor
      ? [note(max, `leaves no room: the size is ${largest} whatever the load is`)]
      : []),
    ...(nodes === first
      ? []
      : [note(['nodes'], `is ${nodes}, and the size stays within ${smallest} to ${largest}: it begins with ${first}`)]),
  ];
}

function belowText(floor: number): string {
  return `below replicationFactor + 1 = ${floor}`;
}

function note(keys: readonly string[], message: string): Found {
  return { keys: ['spec', ...keys], message, kind: 'note' };
}

function fromRule({ path, message }: FieldProblem): Found {
  const keys = path.split(/[.[\]]+/).filter((part) => part !== '');
  return { keys: keys.map((part) => (/^\d+$/.test(part) ? Number(part) : part)), message, kind: 'error' };
}

/** What strict field validation refuses: fields the schema does not have. */
function unknownKeys(
  schema: JsonObject,
  value: unknown,
  keys: readonly (string | number)[],
): readonly (readonly (string | number)[])[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isRecord(items) ? value.flatMap((one, i) => unknownKeys(items as JsonObject, one, [...keys, i])) : [];
  }
  const { properties } = schema;
  if (!isRecord(properties) || !isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const property = properties[name];
    return isRecord(property) ? unknownKeys(property as JsonObject, child, [...keys, name]) : [[...keys, name]];
  });
}

const definitionOf = oncePerText(Object.keys(KINDS).length, (kind): Definition => {
  const schema = objectSchema(KINDS[kind] ?? CLUSTER_KIND);
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  return { schema, validate: ajv.compile(schema) };
});

/** The place of the field, or of the nearest field above it that exists. */
function placeOf(document: Document.Parsed, lines: LineCounter, keys: readonly (string | number)[]): Place {
  for (let length = keys.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(keys.slice(0, length), true);
    if (isNode(node) && node.range !== null && node.range !== undefined) {
      const { line, col } = lines.linePos(node.range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}

function plain(document: Document.Parsed): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function dotted(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`),
    '',
  );
}
