// The commands that keep, take up, delete and restore volumes: docs/operations/volumes.md.
// Runs first: it takes most of a minute.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/volumes.md');
