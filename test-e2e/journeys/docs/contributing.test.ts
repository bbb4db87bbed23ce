// The commands of a contributor, except the gate itself: docs/contributing.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/contributing.md');
