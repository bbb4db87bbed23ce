// A client of members for tests about what they answer, not how soon, since on a machine that stands still for some
// seconds nothing answers.

import { createStoreClient } from '@marekvs/store-client';

const LIMIT_MS = 30_000;

export const patientStore = createStoreClient({ timeoutMs: LIMIT_MS });
