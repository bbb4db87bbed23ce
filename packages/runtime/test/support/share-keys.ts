// How leases and their annotations are named in tests of sharing.
import type { ShareKeys } from '../../src/sharing/share-plan.ts';

/** The leader's lease. */
export const BASE = 'suite';

export const KEYS: ShareKeys = {
  share: 'share',
  format: 'format',
  waiting: 'waiting',
  mark: 'mark',
  register: 'register',
};
