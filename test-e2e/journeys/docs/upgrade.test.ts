// The commands that upgrade the operator, give members another image, and restart all of them:
// docs/operations/upgrade.md.
// Own API server: the page applies the kinds and the permissions anew.
// Runs first: all members are made anew, which takes most of a minute.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/upgrade.md');
