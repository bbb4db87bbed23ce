// `npm run bench:storms`: what 100 clusters, or `--clusters n`, do to an API server that is restarted, cuts its watches, refuses or is slow: requests a
// second, deletions, and the time until everything asked for meanwhile is done. About five minutes. `-- --json` for machines.

import { parseArgs } from 'node:util';
import type { MarekvsCluster } from '@marekvs/api';
import { startTestbed } from '@marekvs/testbed';
import { createKube, ownPath } from '../support/kube.ts';
import { plainSpec } from '../support/specs.ts';
import { startStormFront } from '../support/storm-front.ts';
import { renderFigures } from './figure.ts';
import { fleetOf, isHealthy, NAMESPACES } from './fleet.ts';
import { measureStorms } from './storms.ts';

const CREATION_LIMIT_MS = 600_000;

const { values } = parseArgs({
  options: { clusters: { type: 'string', default: '100' }, json: { type: 'boolean', default: false } },
});
const clusters = Number(values.clusters);

const testbed = await startTestbed({ runner: 'hollow' });
const front = await startStormFront(testbed);
try {
  await testbed.startOperator({ extraArgs: [`--kubeconfig=${front.kubeconfig}`] });
  const kube = createKube(testbed.kubeconfigs.admin);
  for (const namespace of NAMESPACES) await kube.createNamespace(namespace);
  for (const { namespace, name } of fleetOf(clusters)) await kube.createCluster(namespace, name, plainSpec(3));
  const areHealthy = (all: readonly MarekvsCluster[]) => all.filter(isHealthy).length === clusters;
  await kube.until<MarekvsCluster>('all Healthy', ownPath('marekvsclusters'), areHealthy, CREATION_LIMIT_MS);
  const figures = await measureStorms({ testbed, kube }, front, clusters);
  process.stdout.write(values.json ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
  process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;
} finally {
  await testbed.stop();
  await front.close();
}
