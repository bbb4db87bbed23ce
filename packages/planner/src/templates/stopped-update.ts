// Where an update of the members has stopped, as recorded in the status.

import type { MarekvsClusterStatus } from '@marekvs/api';

export type StoppedUpdate = NonNullable<NonNullable<MarekvsClusterStatus['update']>['stopped']>;
