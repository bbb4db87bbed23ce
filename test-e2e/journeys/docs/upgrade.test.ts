// What an upgrade of the operator does to running members, another image for them, and all of them made anew,
// typed: docs/operations/upgrade.md.
// Own API server: the page applies the kinds and the permissions anew.
// Runs first: all members are made anew, which takes most of a minute.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/upgrade.md');
