// A size that follows the load: begun, other bounds, taken out again, typed: docs/operations/autoscaling.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/autoscaling.md');
