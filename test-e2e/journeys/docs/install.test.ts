// Installing in every scope with kubectl, and with helm where it is at hand: docs/operations/install.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/install.md');
