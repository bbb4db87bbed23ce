// The commands that grant and change a password: docs/operations/passwords.md.
// Runs first: members are rolled again and again, which takes more than a minute.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/passwords.md');
