// A password granted and changed, typed: docs/operations/passwords.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/passwords.md');
