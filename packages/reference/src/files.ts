// Every file this package makes, with its path from the top of the project.

import { CLUSTER_KIND, NODE_KIND } from '@marekvs/api/reference';
import { checksPage } from './pages/checks.ts';
import { conditionsPage } from './pages/conditions.ts';
import { contentsPage } from './pages/contents.ts';
import { contractPage } from './pages/contract.ts';
import { errorsPage } from './pages/errors.ts';
import { eventsPage } from './pages/events.ts';
import { fieldsPage } from './pages/fields.ts';
import { flagsPage } from './pages/flags.ts';
import { keysPage } from './pages/keys.ts';
import { limitsPage } from './pages/limits.ts';
import { metricsPage } from './pages/metrics.ts';
import { scalePage } from './pages/scale.ts';
import { readScale } from './scale/record.ts';

export interface MadeFile {
  readonly path: string;
  readonly text: string;
}

export function madeFiles(): readonly MadeFile[] {
  return [
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/design/checks.md', text: checksPage() },
    { path: 'docs/design/contract.md', text: contractPage() },
    { path: 'docs/limits.md', text: limitsPage() },
    { path: 'docs/scale.md', text: scalePage(readScale()) },
    { path: 'docs/reference/README.md', text: contentsPage() },
    { path: 'docs/reference/marekvscluster.md', text: fieldsPage(CLUSTER_KIND) },
    { path: 'docs/reference/marekvsnode.md', text: fieldsPage(NODE_KIND) },
    { path: 'docs/reference/conditions.md', text: conditionsPage() },
    { path: 'docs/reference/events.md', text: eventsPage() },
    { path: 'docs/reference/metrics.md', text: metricsPage() },
    { path: 'docs/reference/flags.md', text: flagsPage() },
    { path: 'docs/reference/labels-and-annotations.md', text: keysPage() },
  ];
}
