// Every metric, from the registry the operator serves.

import { DISK_SHOWN_FROM, MAX_SERIES } from '@marekvs/operator/reference';
import { type Family, metricCatalogue } from '../metrics/catalogue.ts';
import { code, codes, page, table } from '../text/markdown.ts';

const OURS = 'marekvs_operator_';

export function metricsPage(): string {
  const families = metricCatalogue();
  const part = (fits: (family: Family) => boolean) => [...families].filter(fits).sort(byName);
  const ours = part(({ name }) => name.startsWith(OURS));
  const named = ours.filter(({ labels }) => labels.some((label) => label.name === 'namespace'));
  const others = part(({ name }) => !name.startsWith(OURS));
  const head = ['metric', 'type', 'unit', 'labels', 'series', 'meaning', 'when it matters'];
  return page({
    title: 'Metrics of the operator',
    source: 'packages/operator/src/telemetry, packages/runtime and packages/reference/src/metrics',
    blocks: [
      'Served on `/metrics` of `--metrics-bind-address`, also by a standby. Counters count from the start of the process. `series` is the largest possible number at one time on one replica, including the buckets of histograms.',
      '## Metrics that name a cluster or a member',
      `A series exists only while something is wrong or under way, and only on the replica that leads; it disappears when that is over or the object is gone. Each family shows at most ${MAX_SERIES} clusters or members, starting with the clusters that have been stuck longest; the counts below include all of them. Disks are shown from ${DISK_SHOWN_FROM * 100} % on.`,
      table(head, named.map(row)),
      '## Metrics of the operator and the fleet',
      table(head, ours.filter((family) => !named.includes(family)).map(row)),
      '## Under the names that other dashboards use',
      table(head, others.map(row)),
      '## Labels and their values',
      table(
        ['metric', 'label', 'values'],
        [...named, ...ours.filter((one) => !named.includes(one)), ...others].flatMap(labelRows),
      ),
      '## Buckets',
      table(
        ['metric', 'upper limits'],
        [...ours, ...others]
          .filter(({ buckets }) => buckets.length > 0)
          .map(({ name, buckets }) => [code(name), buckets.join(', ')]),
      ),
    ],
  });
}

function row({ name, type, unit, labels, bound, help, matters }: Family): readonly string[] {
  return [code(name), type, unit, codes(labels.map((label) => label.name)), String(bound), `${help}.`, matters];
}

function labelRows({ name, labels }: Family): readonly (readonly string[])[] {
  return labels.map((label) => {
    const { values } = label.text;
    return [code(name), code(label.name), typeof values === 'string' ? values : codes(values)];
  });
}

function byName(a: Family, b: Family): number {
  return a.name < b.name ? -1 : 1;
}
