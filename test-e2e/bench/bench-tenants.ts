// `npm run bench:tenants`: sixteen clusters that form, remove a node and roll, alone and beside four clusters whose
// members answer as expensively as the protocols allow: how much longer that takes, and what it costs the operator.
// `-- --json` for machines.

import { startTestbed } from '@marekvs/testbed';
import { worldOf } from '../support/world.ts';
import { benchOptions } from './command-line.ts';
import { type Figure, figure, renderFigures } from './figure.ts';
import { measureTenants, type TenantTimes } from './tenants.ts';

const { json: isJson } = benchOptions({
  usage: `usage: npm run bench:tenants [-- [--json]]
  what four hostile clusters cost sixteen others that share the operator with them, in about ten minutes
  --json   figures for machines, and nothing else
  --help   this text
`,
  options: { json: { type: 'boolean', default: false } },
});
const say = (text: string): void => void (isJson ? undefined : process.stdout.write(`${text}\n`));

const alone = await measured(false);
const beside = await measured(true);
const figures: readonly Figure[] = [
  ...(['formSeconds', 'removeSeconds', 'rollSeconds'] as const).flatMap((name) => timeFigures(name)),
  figure('operator RSS at its most, beside them', beside.mostMiB, 'MiB', Number.POSITIVE_INFINITY),
  figure('  more than alone', beside.mostMiB - alone.mostMiB, 'MiB', 64),
  figure('longest block of the event loop, alone', alone.longestBlockMs, 'ms', Number.POSITIVE_INFINITY),
  // On a machine that others use as well, its own pauses are longer than what is measured.
  figure('  beside them', beside.longestBlockMs, 'ms', Math.max(50, alone.longestBlockMs)),
  figure('CPU of the operator, alone', alone.cpuSeconds, 's', Number.POSITIVE_INFINITY),
  figure('  beside them', beside.cpuSeconds, 's', Number.POSITIVE_INFINITY),
  figure('hostile clusters that lost a node nevertheless', beside.calmed, '', 0),
  figure('restarts of the operator', beside.restarts, '', 0),
];
process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : `\n${renderFigures(figures)}\n`);
process.exitCode = figures.every(({ value, limit }) => value <= limit) ? 0 : 1;

async function measured(areHostile: boolean): Promise<TenantTimes> {
  say(areHostile ? 'Beside four hostile clusters' : 'Alone');
  const testbed = await startTestbed({ runner: 'hosted', speed: 10, operator: true });
  try {
    return await measureTenants(worldOf(testbed), areHostile, say);
  } finally {
    await testbed.stop();
  }
}

function timeFigures(name: 'formSeconds' | 'removeSeconds' | 'rollSeconds'): readonly Figure[] {
  const what = { formSeconds: 'form', removeSeconds: 'remove a node each', rollSeconds: 'roll' }[name];
  return [
    figure(`sixteen clusters ${what}, alone`, alone[name], 's', Number.POSITIVE_INFINITY),
    figure('  beside four hostile ones', beside[name], 's', Math.round(alone[name] * 120) / 100),
  ];
}
