// A testbed for one measurement, which is always stopped at the end.

import { startTestbed, type Testbed, type TestbedOptions } from '@marekvs/testbed';

export async function onTestbed<T>(options: TestbedOptions, work: (testbed: Testbed) => Promise<T>): Promise<T> {
  const testbed = await startTestbed(options);
  try {
    return await work(testbed);
  } finally {
    await testbed.stop();
  }
}
