// The tour of the first page: README.md.
// Own API server: the page installs what a testbed has.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('README.md');
