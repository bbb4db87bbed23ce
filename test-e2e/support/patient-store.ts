// A client of members for a test that asks what they answer, not how soon: a machine that stands still for some seconds
// answers nothing meanwhile.

import { createStoreClient } from '@marekvs/store-client';

const LIMIT_MS = 30_000;

export const patientStore = createStoreClient({ timeoutMs: LIMIT_MS });
