// The tour of the first page: README.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('README.md');
