// `npm run bench:scale`: what replicas cost, by the number of clusters: one row per size (`--clusters 10,100,1000`) and
// number of replicas (`--replicas 1,3`), and one beside unrelated objects (`--unrelated 10000`, with 100 clusters and
// one replica; 0 for none). About 40 minutes on two idle cores. `--record` replaces these rows in docs/scale.json, on a
// committed tree only, with `--note` for what else the machine did; `npm run generate` makes the page.

import { recordScale } from '@marekvs/reference';
import { createKube } from '../support/kube.ts';
import { benchOptions, WHOLE_NUMBER_OR_NONE, WHOLE_NUMBERS } from './command-line.ts';
import { onTestbed } from './on-testbed.ts';
import { measureScale, type ScaleCase } from './scale.ts';

const UNRELATED_AT = 100;

const values = benchOptions({
  usage: `usage: npm run bench:scale [-- [--clusters <n,…>] [--replicas <n,…>] [--unrelated <n>] [--record [--note <text>]]]
  what replicas of the operator cost by how many clusters they manage, in about 40 minutes
  --clusters <n,…>  sizes of fleets, default 10,100,1000
  --replicas <n,…>  for each of them, default 1,3
  --unrelated <n>   objects beside 100 clusters, in one more row, default 10000; 0 for none
  --record          writes docs/scale.json after each row, on a committed tree only
  --note <text>     what else the machine did
  --help            this text
`,
  options: {
    clusters: { type: 'string', default: '10,100,1000' },
    replicas: { type: 'string', default: '1,3' },
    unrelated: { type: 'string', default: '10000' },
    record: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
  forms: { clusters: WHOLE_NUMBERS, replicas: WHOLE_NUMBERS, unrelated: WHOLE_NUMBER_OR_NONE },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const numbers = (text: string): readonly number[] => text.split(',').map(Number);

for (const clusters of numbers(values.clusters)) await measureFleet(clusters);

async function measureFleet(clusters: number): Promise<void> {
  await onTestbed({ runner: 'hollow' }, async (testbed) => {
    const world = { testbed, kube: createKube(testbed.kubeconfigs.admin) };
    for await (const row of measureScale(world, casesOf(clusters), say)) {
      say(JSON.stringify(row));
      if (values.record) recordScale(row, values.note);
    }
  });
}

function casesOf(clusters: number): readonly ScaleCase[] {
  const plain = numbers(values.replicas).map((replicas) => ({ clusters, replicas, unrelated: 0 }));
  const unrelated = Number(values.unrelated);
  return clusters === UNRELATED_AT && unrelated > 0 ? [...plain, { clusters, replicas: 1, unrelated }] : plain;
}
