// A plan as text for people: one line for how the cluster begins, one for each step.

import { type Act, inOrder, type Plan } from './plan.ts';

export function planText(plan: Plan): string {
  const { nodes, replicationFactor, whenDeleted, begins, restartMs } = plan.first;
  const start = `nodes ${nodes}, replicationFactor ${replicationFactor}, whenDeleted ${whenDeleted}, begins ${begins}`;
  const lines = inOrder(plan).map(({ atMs, act }) => `${(atMs / 1_000).toFixed(1).padStart(7)} s  ${actText(act)}`);
  return [`${start}, operators restart after ${restartMs / 1_000} s, world ${plan.seed}`, ...lines].join('\n');
}

/** Its kind and its values: `freeze node 3, forMs 2000`. */
function actText({ kind, ...values }: Act): string {
  const parts = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return [kind, parts.join(', ')].join(' ').trimEnd();
}
