// The commands that stop and wake all members, and take one off its volume: docs/operations/sleeping.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/sleeping.md');
