// The commands about replicas of the operator and their load: docs/operations/scaling-the-operator.md.

import { describePage } from '../../support/docs/describe-page.ts';

describePage('docs/operations/scaling-the-operator.md');
