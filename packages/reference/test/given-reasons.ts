// The reasons that the operator gives are those that its sources name. They are read from the files, so that no list
// can be forgotten.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REASONS, type Reason } from '@marekvs/api';

/** The sources in which reasons are given. */
const SOURCES = ['packages/{operator,planner}/src/**/*.ts', 'packages/api/src/pending/*.ts'];

export function givenReasons(root: string): ReadonlySet<Reason> {
  const texts = globSync(SOURCES, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const names = Object.keys(REASONS) as Reason[];
  return new Set(names.filter((name) => texts.some((text) => text.includes(`'${name}'`))));
}
