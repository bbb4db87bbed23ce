// Where an update of the members has stopped, as the status says it.

import type { MarekvsClusterStatus } from '@marekvs/api';

export type StoppedUpdate = NonNullable<NonNullable<MarekvsClusterStatus['update']>['stopped']>;
