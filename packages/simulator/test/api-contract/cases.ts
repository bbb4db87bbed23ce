// The contract of an API server, as far as this project uses one: every case runs against the one in memory and against
// a real one.

import type { Case } from './bench.ts';
import { APPLY_CASES } from './cases-apply.ts';
import { DELETING } from './cases-deleting.ts';
import { IDENTITY } from './cases-identity.ts';
import { OWNER_CASES } from './cases-owners.ts';
import { POD_CASES } from './cases-pods.ts';
import { RESIZE_CASES } from './cases-resizing.ts';
import { WATCH_CASES } from './cases-watching.ts';
import { WRITING } from './cases-writing.ts';

export const API_CASES: readonly Case[] = [
  ...IDENTITY,
  ...WRITING,
  ...DELETING,
  ...POD_CASES,
  ...RESIZE_CASES,
  ...OWNER_CASES,
  ...APPLY_CASES,
  ...WATCH_CASES,
];
