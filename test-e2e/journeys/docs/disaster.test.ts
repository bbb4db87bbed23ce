// Runs first: one disaster after the other on one cluster, about a minute.
// The commands typed at three in the morning: docs/operations/disaster.md.
// Own API server: the page stops it, and takes the kinds away.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/disaster.md');
