// What must hold for a cluster whose spec was changed: it is as if created with that spec, or a condition says why not
// and names exactly what differs. Pure.

import type { Rest } from './rest.ts';
import { type Difference, differencesOf, differenceText, type Snapshot } from './snapshot.ts';

/** Conditions whose purpose is to report what differs from the spec. */
const EXCUSES: ReadonlySet<string> = new Set(['RollingOut', 'PendingChange']);
/** What follows from these: a cluster that differs from its spec is not reported as fine. */
const NOT_FINE: ReadonlySet<string> = new Set(['phase', 'Reconciling', 'Stalled']);
/** The fields of a Pod that its node's template decides. */
const OF_THE_TEMPLATE = /^(?:metadata\.(?:labels|annotations)|spec)\./;

/** What is wrong with a changed cluster compared with one created with the same spec; undefined when nothing is. */
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

/** A running member gets a new password without a restart: the one in force is compared, not the one its Pod was
 *  started with. */
function isOfStart({ object, path }: Difference): boolean {
  return object.startsWith('Pod ') && path.includes('[MAREKVS_REQUIREPASS]');
}

/** No cluster can run with this spec. Running members go on, and the reason is reported once the spec is needed. */
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

/** A node added after the change must be as if created with the spec. */
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
