// The commands that hand over a StatefulSet's members: docs/operations/adopting.md. What can go wrong is in
// ../adopting.test.ts.
// Own API server: the page installs what a testbed has.
// Runs first: it takes most of a minute.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/adopting.md');
