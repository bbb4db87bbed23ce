// What is done when a Kubernetes Node under a member is lost, or is to be emptied.

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { INTEGER_RANGES as R } from '../limits.ts';
import { describe, integer } from './field.ts';

export const hosts = describe(
  z.object({
    lostAfterSeconds: describe(
      integer(R['hosts.lostAfterSeconds']),
      'Seconds after which a host that is not ready counts as lost, and a member whose volume can be on no other host is ' +
        'replaced by a new one; 0 = never by itself. Default 600.',
      { default: DEFAULTS.lostAfterSeconds },
    ).optional(),
    moveOnDrain: describe(
      z.boolean(),
      'Move members off a host that is cordoned, one at a time and ahead of their eviction, where their volumes can move. Default true.',
      { default: DEFAULTS.moveOnDrain },
    ).optional(),
  }),
  'What is done about hosts (Kubernetes Nodes) that are lost or being drained. Needs the permissions of config/components/hosts.',
);
