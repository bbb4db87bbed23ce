// The commands for a size that follows the load, from its start to its end: docs/operations/autoscaling.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/autoscaling.md');
