// What an upgrade does to running members, and the two ways to another image, typed: docs/operations/upgrade.md.
// Own API server: the page applies the kinds and the permissions anew.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/upgrade.md');
