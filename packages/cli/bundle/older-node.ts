// Runs before everything else in the bundle: on a Node that is too old it says so and ends, and on Node 20 it
// adds the two functions of the language that our code uses and that came later. test/old-node.test.ts takes
// away what else is new since then.

import { OLDEST_NODE } from './oldest-node.ts';

refuseOlder(process.versions.node);
addMissing();

function refuseOlder(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  process.stderr.write(
    `error: kubectl-mkv needs Node ${OLDEST_NODE} or newer, and this is ${version}. Next: install it, or put its folder first in PATH\n`,
  );
  process.exit(1);
}

function addMissing(): void {
  if (!('withResolvers' in Promise)) Object.defineProperty(Promise, 'withResolvers', { value: withResolvers });
  if (!('groupBy' in Map)) Object.defineProperty(Map, 'groupBy', { value: groupBy });
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onFulfilled, onRejected) => {
    resolve = onFulfilled;
    reject = onRejected;
  });
  return { promise, resolve, reject };
}

function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    index += 1;
  }
  return groups;
}
