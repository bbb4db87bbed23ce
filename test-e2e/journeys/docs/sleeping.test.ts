// All members stopped and woken, and one taken off its volume, typed: docs/operations/sleeping.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/sleeping.md');
