// Changes by number, from 1: a life for each change that an operator can see.

import { validateClusterSpec } from '@marekvs/api';
import { type Life, live } from '../life/life.ts';
import type { Scenario } from '../life/scenario.ts';
import { admit, asSpec } from './admission.ts';
import { allChanges, type Change } from './changes.ts';
import { runChange } from './field-life.ts';

export const FIELDS = 'fields';
export const FIELDS_STORY =
  'Each field of the spec is changed in every way, alone, and changed back: number n is one change of one field.';

const SEED = 29;
/** Computed on first use, since it takes longer than loading all other lives. */
let lived: readonly Change[] | undefined;

function livedChanges(): readonly Change[] {
  lived ??= allChanges().filter(isLived);
  return lived;
}

export function fieldNumbers(): number {
  return livedChanges().length;
}

/** @throws RangeError for a number without a change */
export function changeOf(n: number): Change {
  const change = livedChanges()[n - 1];
  if (change === undefined) throw new RangeError(`${FIELDS}: 1 to ${fieldNumbers()}, not ${n}`);
  return change;
}

/** `spec.nodes grown` */
export function changeTitle({ path, kind, from, to }: Change): string {
  const [a, b] = [JSON.stringify(from), JSON.stringify(to)];
  return `spec.${path} ${kind}, ${shortened(a)} → ${shortened(b)}`;
}

export async function liveChange(n: number): Promise<Life> {
  const change = changeOf(n);
  const scenario: Scenario = {
    name: FIELDS,
    story: FIELDS_STORY,
    run: (world, fate) => runChange(change, world, fate),
  };
  const life = await live(scenario, SEED);
  return { ...life, report: { ...life.report, seed: n } };
}

/** A refused spec is seen by an operator only if it was stored before its rule existed, and the operator checks that
 *  rule itself. Others are covered by test/fields.test.ts. */
export function isLived({ from, to }: Change): boolean {
  const before = admit(from);
  if (before.kind === 'refused') return false;
  return admit(to, before.spec).kind === 'stored' || validateClusterSpec(asSpec(to)).length > 0;
}

const MAX_SHOWN = 160;

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}
