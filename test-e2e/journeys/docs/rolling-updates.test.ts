// The commands for a canary, a bad image and the way back, a pause, and OnDelete: docs/operations/rolling-updates.md.
// Runs first: it takes three minutes.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/rolling-updates.md');
