// The commands for a removal on a quiet cluster, and for one that waits under writes and is taken back:
// docs/operations/removing-a-node.md.
// Runs first: it takes two minutes.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/removing-a-node.md');
