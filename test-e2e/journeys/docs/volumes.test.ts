// Volumes kept, taken up again, deleted and restored, typed: docs/operations/volumes.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/volumes.md');
