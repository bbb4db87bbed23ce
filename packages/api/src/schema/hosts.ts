// What is done when a Kubernetes Node under a member is lost.

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
  }),
  'What is done about hosts (Kubernetes Nodes) that are lost. Needs the permissions of config/components/hosts.',
);
