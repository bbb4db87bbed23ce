// Places in a YAML text, found by path and cut or replaced as text, so that its comments and its form stay as they were written.
// Pure. The parser is `yaml`, the only one that says where in the text a value stands.

import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
} from 'yaml';

export type Path = readonly (string | number)[];

/** A change at one place. `with` and `lines` are taken as they are. */
export type Edit =
  /** The value alone, behind its key or dash. */
  | { readonly kind: 'replace'; readonly at: Path; readonly with: string }
  /** Whole lines before or after the entry. */
  | { readonly kind: 'before' | 'after'; readonly at: Path; readonly lines: string };

/** Applies the edits; what lies between them goes through `keep`.
 *  @throws Error when a path leads nowhere, the text is no YAML, or two edits overlap */
export function editYaml(text: string, edits: readonly Edit[], keep: (part: string) => string): string {
  // Files of several documents are none that anything is changed in.
  if (edits.length === 0) return keep(text);
  const root = rootOf(text);
  const changes = edits.map((edit) => changeOf(text, root, edit)).sort((a, b) => a.from - b.from || a.to - b.to);
  let out = '';
  let at = 0;
  for (const { from, to, put } of changes) {
    if (from < at) throw new Error(`two edits at ${JSON.stringify(text.slice(from, from + 40))}`);
    out += keep(text.slice(at, from)) + put;
    at = to;
  }
  return out + keep(text.slice(at));
}

/** The text of a value without the indentation it stands at, comments included. @throws Error when the path leads nowhere */
export function textAt(text: string, at: Path): string {
  const { from, to } = valueRange(text, find(rootOf(text), at));
  const part = text.slice(from, to);
  if (part.startsWith('\n')) return unindent(part.slice(1));
  // The first line of a list's entry stands behind its dash, at the depth of the others.
  return unindent(' '.repeat(from - text.lastIndexOf('\n', from) - 1) + part).trimStart();
}

/** The value at a path; undefined when there is none. */
export function valueAt(text: string, at: Path): unknown {
  const document = parseDocument(text);
  const found: unknown = document.getIn(at, true);
  return isNode(found) ? found.toJS(document) : found;
}

interface Place {
  /** Where its entry begins: the key, or the dash of a list. */
  readonly start: number;
  /** Where its value may begin: behind the colon or the dash. */
  readonly head: number;
  readonly node: Node;
}

function rootOf(text: string): Node {
  const { contents, errors } = parseDocument(text);
  if (errors[0] !== undefined) throw errors[0];
  if (contents === null) throw new Error('an empty document');
  return contents;
}

function find(root: Node, path: Path): Place {
  let place: Place = { start: startOf(root), head: startOf(root), node: root };
  for (const step of path) {
    const next = stepInto(place.node, step);
    if (next === undefined) throw new Error(`no ${path.join('.')} in the YAML`);
    place = next;
  }
  return place;
}

function stepInto(node: Node, step: string | number): Place | undefined {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === step);
    return pair === undefined ? undefined : placeOfPair(pair);
  }
  if (!isSeq(node)) return undefined;
  const item = typeof step === 'number' ? node.items[step] : undefined;
  return isNode(item) ? { start: startOf(item), head: startOf(item), node: item } : undefined;
}

function placeOfPair(pair: Pair): Place | undefined {
  const { key, value } = pair;
  if (!isPair(pair) || !isScalar(key) || !isNode(value) || isAlias(value)) return undefined;
  return { start: startOf(key), head: rangeOf(key)[1] + ':'.length, node: value };
}

/** From behind the key to the end of the last character: a block begins with its newline, a scalar with its space. */
function valueRange(text: string, { head, node }: Place): { readonly from: number; readonly to: number } {
  const end = rangeOf(node)[1];
  const to = head + text.slice(head, end).trimEnd().length;
  return { from: isCollection(node) && node.flow !== true ? head : Math.max(head, startOf(node)), to };
}

function changeOf(text: string, root: Node, edit: Edit) {
  const place = find(root, edit.at);
  const { from, to } = valueRange(text, place);
  if (edit.kind === 'replace') return { from, to, put: edit.with };
  const line = edit.kind === 'before' ? text.lastIndexOf('\n', place.start) + 1 : text.indexOf('\n', to) + 1;
  return { from: line, to: line, put: edit.lines.endsWith('\n') ? edit.lines : `${edit.lines}\n` };
}

function rangeOf(node: Node): readonly [number, number, number] {
  if (node.range === undefined || node.range === null) throw new Error('a YAML node without a place');
  return node.range;
}

function startOf(node: Node): number {
  return rangeOf(node)[0];
}

function unindent(text: string): string {
  const lines = text.split('\n');
  const depth = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(depth)).join('\n');
}
