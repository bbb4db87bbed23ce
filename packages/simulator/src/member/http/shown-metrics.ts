// `/metrics` under the knobs `hiddenMetrics` and `shownMetrics`, alike for both forms of the answer.

import type { MetricSample } from '../basics/metrics-book.ts';
import type { MemberKnobs } from '../settings/knobs.ts';

type ShownKnobs = Pick<MemberKnobs, 'hiddenMetrics' | 'shownMetrics'>;

export function asShown(samples: readonly MetricSample[], knobs: ShownKnobs): readonly MetricSample[] {
  if (isPlain(knobs)) return samples;
  return samples.flatMap((sample) => {
    const name = sample.name.replace(/^marekvs_/, '');
    if (knobs.hiddenMetrics.includes(name)) return [];
    return [{ ...sample, value: knobs.shownMetrics[name] ?? sample.value }];
  });
}

export function asShownText(text: string, knobs: ShownKnobs): string {
  if (isPlain(knobs)) return text;
  const lines = text
    .split('\n')
    .filter((line) => !knobs.hiddenMetrics.some((name) => line.includes(`marekvs_${name}`)));
  return lines.map((line) => withFigure(line, knobs)).join('\n');
}

function withFigure(line: string, { shownMetrics }: ShownKnobs): string {
  const name = /^marekvs_(\w+) /.exec(line)?.[1] ?? '';
  const value = shownMetrics[name];
  return value === undefined ? line : `marekvs_${name} ${value}`;
}

/** The usual case: no knob is set. */
function isPlain({ hiddenMetrics, shownMetrics }: ShownKnobs): boolean {
  return hiddenMetrics.length === 0 && Object.keys(shownMetrics).length === 0;
}
