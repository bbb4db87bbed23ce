// The commands about hosts under members: docs/operations/hosts.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/hosts.md');
