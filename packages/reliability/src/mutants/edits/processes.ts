// A container that restarts runs another process in the same Pod. Many guards are seen only without the one that keeps
// the answers of two processes apart.

import type { Edit } from './mutant.ts';

const SAMPLER = 'operator/src/members/sampler.ts';

/** What the earlier process in a Pod has answered counts for the present one. */
export const EARLIER_ANSWERS_COUNT: readonly Edit[] = [
  { file: SAMPLER, text: '    if (isRestarted) forgetProcess(entry);\n', replacement: '' },
  {
    file: SAMPLER,
    text: 'entry === undefined || entry.target.restartCount !== pod?.restartCount',
    replacement: 'entry === undefined',
  },
];

/** A live Pod shows the member that was decided on, whichever process runs in it. */
export const ANY_PROCESS_IS_UNCHANGED: Edit = {
  file: 'operator/src/pass/live-reads.ts',
  text: ' && now.restartCount === pod.restartCount',
  replacement: '',
};

/** Why a mutant needs them. */
export const PROCESSES_ARE_KNOWN = 'An answer counts for the process that gave it, and for no other in the same Pod.';
