// The commands that admit clients and scrapers: docs/operations/clients.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/clients.md');
