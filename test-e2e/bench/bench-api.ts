// `npm run bench:api`: what the operator costs the API server and how fast it is, compared with the existing operator.
// With `-- --fleet` only the cost of 100 clusters. `-- --json` for machines.

import { createKube } from '../support/kube.ts';
import { benchOptions } from './command-line.ts';
import { type Figure, renderFigures } from './figure.ts';
import {
  measureAutoscaled,
  measureCreation,
  measureIdle,
  measureReaction,
  measureRestart,
  measureTouches,
} from './fleet.ts';
import { onTestbed } from './on-testbed.ts';
import { measureForming, measurePodLoss, measureQuiet, type World } from './single-cluster.ts';

const { fleet: isFleetAlone, json: isJson } = benchOptions({
  usage: `usage: npm run bench:api [-- [--fleet] [--json]]
  what the operator costs the API server and how fast it is, in about six minutes
  --fleet   only what 100 clusters cost
  --json    figures for machines, and nothing else
  --help    this text
`,
  options: { fleet: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
});
const say = (text: string) => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const figures: Figure[] = [...(isFleetAlone ? [] : await benchSingle()), ...(await benchFleet())];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function benchSingle(): Promise<readonly Figure[]> {
  say('Single clusters with real-timer members (about 3 minutes)');
  return withWorld({ runner: 'process' }, async (world) => {
    const forming = await measureForming(world, 'idle');
    if (forming.isHealthyTooEarly) throw new Error('Healthy was said before every member was ready');
    await measureForming(world, 'busy');
    const quiet = await measureQuiet(world, 'idle', 'busy', 120);
    return [...forming.figures, ...quiet, ...(await measurePodLoss(world, 'idle'))];
  });
}

async function benchFleet(): Promise<readonly Figure[]> {
  say('100 clusters of hollow members (about 3 minutes)');
  return withWorld({ runner: 'hollow' }, async (world) => {
    const creation = await measureCreation(world, 100);
    const idle = await measureIdle(world, 60, 100);
    return [
      ...creation,
      ...idle.figures,
      ...(await measureRestart(world, 100)),
      ...(await measureTouches(world, 100, 10)),
      ...(await measureReaction(world, 20)),
      // Comes last, because afterwards the clusters have no fixed size any more.
      ...(await measureAutoscaled(world, 100, 60, idle.cpu)),
    ];
  });
}

async function withWorld(
  options: { readonly runner: 'process' | 'hollow' },
  measure: (world: World) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  return onTestbed({ ...options, operator: true }, (testbed) =>
    measure({ testbed, kube: createKube(testbed.kubeconfigs.admin) }),
  );
}
