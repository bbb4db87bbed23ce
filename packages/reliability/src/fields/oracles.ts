// What is asked of a cluster whose spec was changed: it is as if it had been made with that spec, or a condition says
// why not, and names exactly what is not. Pure.

import type { Rest } from './rest.ts';
import { type Difference, differencesOf, differenceText, type Snapshot } from './snapshot.ts';

/** Conditions that are there to say what is not as the spec wants it. */
const EXCUSES: ReadonlySet<string> = new Set(['RollingOut', 'PendingChange']);
/** And what follows from that: a cluster that is not as its spec wants it is not called so. */
const NOT_FINE: ReadonlySet<string> = new Set(['phase', 'Reconciling', 'Stalled']);
/** Of a Pod, what its node's stamp makes of it. */
const OF_THE_TEMPLATE = /^(?:metadata\.(?:labels|annotations)|spec)\./;

/** What is wrong with a cluster that was changed, next to one that was made with the same spec; undefined when nothing
 *  is. */
export function equalityProblem(changed: Rest, made: Rest): string | undefined {
  if (!made.isReady) return badSpecProblem(changed, made);
  if (!changed.isReady) return `made with this spec it is ready, changed into it it is not: ${changed.reason}`;
  const isReported = isPending(changed) || isPending(made);
  const differences = differencesOf(changed.snapshot, made.snapshot).filter(
    (one) =>
      !isOfStart(one) &&
      (one.object !== 'status' || !(EXCUSES.has(one.path) || (isReported && NOT_FINE.has(one.path)))),
  );
  const silent = differences.filter((one) => !isExcused(one, changed));
  if (silent.length > 0)
    return `not as if made with this spec, and no condition says so:\n${silent.map(differenceText).join('\n')}`;
  const really = new Set(differences.filter(isOfTemplate).map(({ object }) => Number(object.split(' ')[1])));
  const wrongly = changed.outdated.filter((id) => !really.has(id));
  return wrongly.length === 0 ? undefined : `RollingOut names ${wrongly.join()}, and nothing about them is outdated`;
}

/** A member is given another password while it runs: what it wants is compared, and not what its Pod was started
 *  with. */
function isOfStart({ object, path }: Difference): boolean {
  return object.startsWith('Pod ') && path.includes('[MAREKVS_REQUIREPASS]');
}

/** Nobody can live with this spec: whoever runs already goes on, and the same reason is given as soon as anybody needs
 *  it. */
function badSpecProblem(changed: Rest, made: Rest): string | undefined {
  if (changed.isReady) {
    const isReported =
      changed.outdated.length === changed.size || changed.unsupported.length > 0 || changed.stopped === made.reason;
    return isReported ? undefined : `made with this spec it is ${made.reason}, and nothing says so of the changed one`;
  }
  if (changed.reason === made.reason) return undefined;
  return `made with this spec it says ${made.reason}, changed into it ${changed.reason}`;
}

function isPending({ snapshot }: Rest): boolean {
  return snapshot.get('status')?.get('PendingChange')?.startsWith('True') === true;
}

function isExcused(difference: Difference, { outdated }: Rest): boolean {
  return isOfTemplate(difference) && outdated.includes(Number(difference.object.split(' ')[1]));
}

function isOfTemplate({ object, path }: Difference): boolean {
  const kind = object.split(' ')[0];
  if (kind === 'MarekvsNode') return path.startsWith('spec.template.');
  return kind === 'Pod' && OF_THE_TEMPLATE.test(path);
}

/** A node that was added after the change is one that is made with the spec. */
export function newNodeProblem(grown: Rest, id: number, made: Rest): string | undefined {
  const differences = differencesOf(nodeAlone(grown.snapshot, id), nodeAlone(made.snapshot, 0));
  if (differences.length === 0) return undefined;
  return `a node added after the change is not as if made with this spec:\n${differences.map(differenceText).join('\n')}`;
}

function nodeAlone(snapshot: Snapshot, id: number): Snapshot {
  const named = new RegExp(`(demo-|/n)${id}\\b`, 'g');
  const own = ['MarekvsNode', 'Pod', 'Claim'].flatMap((kind) => {
    const fields = snapshot.get(`${kind} ${id}`);
    if (fields === undefined) return [];
    const entries = [...fields].map(([path, value]): [string, string] => [
      path,
      isId(path) ? 'id' : value.replace(named, '$1id'),
    ]);
    return [[kind, new Map(entries)] as const];
  });
  return new Map(own);
}

/** Fields that are nothing but the id. */
function isId(path: string): boolean {
  return path === 'spec.nodeId' || path.endsWith('marekvs.io/node-id') || path.endsWith('[MAREKVS_NODE_ID].value');
}
