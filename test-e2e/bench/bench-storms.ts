// `npm run bench:storms`: what 200 clusters, or `--clusters n`, do to an API server that is restarted, cuts its
// watches, refuses, is slow or has a new schema, and when 300 Pods are evicted at once (seven minutes). With `--
// --handovers 1000`, three replicas share 90 clusters, which change hands so often while they are edited, and the audit
// log shows whether any replica wrote out of turn (ten minutes). `-- --json` for machines.

import { startTestbed } from '@marekvs/testbed';
import { createKube } from '../support/kube.ts';
import { startStormFront } from '../support/storm-front.ts';
import { worldOf } from '../support/world.ts';
import { benchOptions, WHOLE_NUMBER } from './command-line.ts';
import { type Figure, renderFigures } from './figure.ts';
import { createFleet, createNamespaces } from './fleet.ts';
import { measureHandovers } from './handovers.ts';
import { onTestbed } from './on-testbed.ts';
import { measureStorms } from './storms.ts';

const CREATION_LIMIT_MS = 600_000;

const values = benchOptions({
  usage: `usage: npm run bench:storms [-- [--clusters <n>] [--handovers <n>] [--json]]
  what many clusters do to an API server that has troubles of its own, in about seven minutes
  --clusters <n>   so many, default 200; 90 with --handovers
  --handovers <n>  instead: clusters change hands so often between three replicas, and nobody writes out of turn
  --json           figures for machines, and nothing else
  --help           this text
`,
  options: {
    clusters: { type: 'string' },
    handovers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
  forms: { clusters: WHOLE_NUMBER, handovers: WHOLE_NUMBER },
});
const say = (text: string): void => void (values.json ? undefined : process.stdout.write(`${text}\n`));

const figures =
  values.handovers === undefined
    ? await storms(Number(values.clusters ?? 200))
    : await handovers(Number(values.clusters ?? 90), Number(values.handovers));
process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function handovers(clusters: number, wanted: number): Promise<readonly Figure[]> {
  return onTestbed({ runner: 'hollow' }, (testbed) => measureHandovers(worldOf(testbed), clusters, wanted, say));
}

async function storms(clusters: number): Promise<readonly Figure[]> {
  const testbed = await startTestbed({ runner: 'hollow' });
  const front = await startStormFront(testbed);
  try {
    await testbed.startOperator({ extraArgs: [`--kubeconfig=${front.kubeconfig}`] });
    const kube = createKube(testbed.kubeconfigs.admin);
    await createNamespaces(kube);
    await createFleet(kube, clusters, { limitMs: CREATION_LIMIT_MS });
    return await measureStorms({ testbed, kube }, front, clusters);
  } finally {
    await testbed.stop();
    await front.close();
  }
}
