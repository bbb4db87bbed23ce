// The commands that install in every scope with kubectl, and with helm if it is available: docs/operations/install.md.
// Own API server: the page installs what a testbed has.
// Runs first: it takes a minute and a half.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/install.md');
