// A reader's first hour, typed: docs/getting-started.md. How a page is written: support/docs/page.ts.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/getting-started.md');
