// The commands of a reader's first hour: docs/getting-started.md. How a page is written: support/docs/page.ts.
// Own API server: the page installs what a testbed has.
// Runs first: it takes a minute and a half.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/getting-started.md');
