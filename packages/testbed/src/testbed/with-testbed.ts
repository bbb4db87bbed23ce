// The fixture of the journeys: one testbed per mocha suite, started before it and stopped after it.
import { startTestbed, type Testbed, type TestbedOptions } from './testbed.ts';

/** mocha's hooks, as far as they are needed; given by its globals so that nothing here imports a test framework. */
interface Hooks {
  before(fn: (this: { timeout(ms: number): unknown }) => Promise<void>): void;
  after(fn: (this: { timeout(ms: number): unknown }) => Promise<void>): void;
}

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;

/** Call inside a `describe` with mocha's own hooks: `const testbed = withTestbed({ before, after }, { operator: true
 *  })`.
 *  @returns a function that gives the testbed once the suite has started */
export function withTestbed(hooks: Hooks, options: TestbedOptions = {}): () => Testbed {
  let testbed: Testbed | undefined;
  hooks.before(async function () {
    this.timeout(START_LIMIT_MS);
    testbed = await startTestbed(options);
  });
  hooks.after(async function () {
    this.timeout(STOP_LIMIT_MS);
    await testbed?.stop();
  });
  return () => {
    if (testbed === undefined) throw new Error('the testbed is started in the before hook of the suite');
    return testbed;
  };
}
