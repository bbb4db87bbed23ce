// What a contributor types that is not the gate itself: docs/contributing.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/contributing.md');
