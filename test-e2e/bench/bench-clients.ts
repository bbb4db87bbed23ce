// `npm run bench:clients`: what real client libraries notice of growth, a removal, a roll and a deleted Pod, on members
// with the server's own timers: plain through the Service and in cluster mode, each as it comes and with the settings
// of docs/operations/connecting.md. `-- --library ioredis` for one of them; `-- --json` for machines.

import {
  type ClientProgram,
  LIBRARIES,
  type Library,
  launcherOf,
  startClientProgram,
} from '../support/client-programs.ts';
import { clusterHandle } from '../support/cluster-handle.ts';
import { round } from '../support/figures.ts';
import { startServiceFront } from '../support/service-front.ts';
import { followServing } from '../support/serving.ts';
import { worldOf } from '../support/world.ts';
import { changesUnder, type PartOfClient } from './client-changes.ts';
import { benchOptions } from './command-line.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { onTestbed } from './on-testbed.ts';

const NS = 'clients';
const NODES = 5;
const KEYS = 500;
/** Of a client that knows homes, in a roll of five: errors per 10,000 operations. */
const ROLL_ERRORS = 5;
const STALL_SECONDS = 2;

const { json: isJson, ...values } = benchOptions({
  usage: `usage: npm run bench:clients [-- [--library <name>] [--settings <which>] [--rate <n>] [--json]]
  what client libraries notice while a cluster changes, in about 25 minutes
  --library <name>    only this one: ${LIBRARIES.join(', ')}
  --settings <which>  only default, or only documented
  --rate <n>          operations per second of each client, default 25
  --json              figures for machines, and nothing else
  --help              this text
`,
  options: {
    json: { type: 'boolean', default: false },
    library: { type: 'string' },
    settings: { type: 'string' },
    rate: { type: 'string', default: '25' },
  },
  forms: {
    library: { pattern: new RegExp(`^(${LIBRARIES.join('|')})$`), wanted: `one of ${LIBRARIES.join(', ')}` },
    settings: { pattern: /^(default|documented)$/, wanted: 'default or documented' },
    rate: { pattern: /^[1-9]\d{0,3}$/, wanted: 'a whole number from 1' },
  },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));
const rate = Number(values.rate);
const libraries = LIBRARIES.filter((name) => values.library === undefined || values.library === name);
const settings = (['default', 'documented'] as const).filter(
  (which) => values.settings === undefined || values.settings === which,
);

const figures = await onTestbed({ runner: 'process', operator: true }, async (testbed) => {
  const world = worldOf(testbed);
  const cluster = clusterHandle(() => world, NS);
  await cluster.create(NODES - 2);
  const front = await startServiceFront(await followServing(world.watching, NS, cluster.name));
  const found: Figure[] = [];
  say('Nobody connected, to compare with');
  const alone = await changesUnder(cluster, world, [], say);
  for (const which of settings) {
    const programs: ClientProgram[] = [];
    for (const library of libraries) programs.push(...(await started(library, which, front)));
    say(`${programs.length} clients with ${which} settings, ${rate} operations a second each`);
    const changes = await changesUnder(cluster, world, programs, say);
    await Promise.all(programs.map((program) => program.stop()));
    found.push(...changes.flatMap((change) => change.parts.flatMap((part) => figuresOf(change.name, part))));
    for (const change of changes) {
      const seconds = alone.find(({ name }) => name === change.name)?.seconds ?? 0;
      found.push(
        figure(`${change.name}, clients with ${which} settings: time`, change.seconds, 's', round(seconds * 1.1)),
      );
    }
  }
  await front.close();
  return found;
});
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function started(
  library: Library,
  which: 'default' | 'documented',
  { host, port }: { readonly host: string; readonly port: number },
): Promise<readonly ClientProgram[]> {
  const launcher = await launcherOf(library);
  if (launcher.kind === 'missing') {
    say(`Without ${library}: ${launcher.why}`);
    return [];
  }
  const task = { library, host, port, operationsPerSecond: rate, keys: KEYS, settings: which };
  return Promise.all((['plain', 'cluster'] as const).map((mode) => startClientProgram(launcher, { ...task, mode })));
}

/** Errors, pauses and wrong reads of one client in one change. Only what the documents promise has a limit. */
function figuresOf(change: string, { task, counts }: PartOfClient): readonly Figure[] {
  const { library, mode, settings: which } = task;
  const isPromised = which === 'documented';
  const errors = round((counts.errors / Math.max(1, counts.operations)) * 10_000);
  const limit = mode === 'cluster' && change.startsWith('roll') ? ROLL_ERRORS : 0;
  const who = `${change}: ${library} ${mode}, ${which}`;
  const none = Number.POSITIVE_INFINITY;
  return [
    figure(`${who}: errors per 10,000`, errors, '', isPromised ? limit : none),
    figure('  longest stall', round(counts.longestStallMs / 1_000), 's', isPromised ? STALL_SECONDS : none),
    figure('  old reads', counts.old, `of ${counts.reads}`, none),
    figure('  empty reads', counts.empty, `of ${counts.reads}`, none),
  ];
}
