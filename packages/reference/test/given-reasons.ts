// Which reasons the operator gives: those that its sources name. Read from the files, so that no list can be forgotten.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS, type Reason } from '@marekvs/api';

/** Where reasons are given. The catalogue of events only repeats what others give. */
const SOURCES = ['packages/{operator,planner}/src/**/*.ts', 'packages/api/src/pending-changes.ts'];
const REPEATS = /(event-catalogue|reference)\.ts$/;

export function givenReasons(root: string): ReadonlySet<Reason> {
  const texts = globSync(SOURCES, { cwd: root })
    .filter((file) => !REPEATS.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const names = Object.keys(REASONS) as Reason[];
  return new Set(names.filter((name) => texts.some((text) => text.includes(`'${name}'`))));
}
