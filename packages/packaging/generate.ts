// Copies files into config/chart, because Helm reads only from the chart's own folder: the kinds, which are generated,
// and the alerts and the dashboard, which are written by hand. With --check it writes nothing and exits 1 when a copy
// differs.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
/** Source, relative to the project; target, relative to the chart's files. */
const COPIES: readonly (readonly [string, string])[] = [
  ['crds/marekvsclusters.yaml', 'crds/marekvsclusters.yaml'],
  ['crds/marekvsnodes.yaml', 'crds/marekvsnodes.yaml'],
  ['config/components/monitoring/prometheus-rule.yaml', 'monitoring/prometheus-rule.yaml'],
  ['config/components/monitoring/dashboard.json', 'monitoring/dashboard.json'],
];

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
for (const [from, to] of COPIES) {
  const text = readFileSync(join(ROOT, from), 'utf8');
  const file = join(ROOT, 'config/chart/files', to);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (values.check) {
    console.error(`config/chart/files/${to} differs from ${from}: run npm run generate`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
