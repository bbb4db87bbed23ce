// metav1.Condition as a schema. Types and reasons are closed lists in TypeScript and open texts here, so that an older
// CRD never refuses a newer operator's status.

import { z } from 'zod';
import { MAX } from '../rules/limits.ts';
import { count, describe, list, text, time } from './field.ts';

const condition = z.object({
  type: describe(text(316, 1), 'What the condition is about.'),
  status: describe(z.enum(['True', 'False', 'Unknown']), 'Whether it holds.'),
  reason: describe(
    text(MAX.message, 1),
    'Why: a code from the reason catalogue; docs/errors.md has a paragraph for each.',
  ),
  message: describe(text(MAX.message), 'Why, in one sentence.'),
  observedGeneration: describe(count(), 'The metadata.generation that the condition describes.'),
  lastTransitionTime: describe(time(), 'When the status last changed.'),
});

export const conditions = describe(
  z.array(condition).max(MAX.listEntries),
  'Conditions, one for each aspect of the state.',
  {
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
);

export const reasonTimes = describe(
  list(
    z.object({
      type: describe(text(MAX.labelValue, 1), 'Type of the condition.'),
      since: describe(time(), 'Since when it has had its present reason.'),
    }),
  ),
  'Conditions whose reason has changed since lastTransitionTime, which is when their status changed.',
);
