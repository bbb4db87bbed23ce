// A StatefulSet's members handed over, typed: docs/operations/adopting.md. What can go wrong with it: ../adopting.test.ts.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/adopting.md');
