// `npm run bench:scale`: what one replica costs by how many clusters it looks after, with a row for each size (`--clusters 10,100,1000`) and one
// with unrelated objects beside (`--unrelated 10000`, at 100 clusters; 0 for none). About half an hour. `--record` writes docs/scale.json, on a
// committed tree only, with `--note` for what else the machine did; `npm run generate` makes the page of it.

import { parseArgs } from 'node:util';
import { recordScale, type ScaleRow } from '@marekvs/reference';
import { startTestbed } from '@marekvs/testbed';
import { createKube } from '../support/kube.ts';
import { measureScale } from './scale.ts';

const UNRELATED_AT = 100;

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '10,100,1000' },
    unrelated: { type: 'string', default: '10000' },
    record: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
});
const sizes = values.clusters.split(',').map(Number);
const unrelated = Number(values.unrelated);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

for (const clusters of sizes) {
  await row(clusters, 0);
  if (clusters === UNRELATED_AT && unrelated > 0) await row(clusters, unrelated);
}

async function row(clusters: number, beside: number): Promise<void> {
  const measuredRow = await measured(clusters, beside);
  say(JSON.stringify(measuredRow));
  if (values.record) recordScale(measuredRow, values.note);
}

async function measured(clusters: number, beside: number): Promise<ScaleRow> {
  say(`${clusters} clusters${beside === 0 ? '' : ` beside ${beside} unrelated objects`}`);
  const testbed = await startTestbed({ runner: 'hollow', operator: true });
  try {
    const world = { testbed, kube: createKube(testbed.kubeconfigs.admin) };
    return await measureScale(world, { clusters, unrelated: beside, say });
  } finally {
    await testbed.stop();
  }
}
