// Waits until something becomes true in a world that runs by itself. Nothing else in the journeys polls.

import { stretched } from '@marekvs/testbed';

const CHECK_EVERY_MS = 50;
/** Ends a wait for what never comes; a test in which time matters gives its own limit. */
const DEFAULT_LIMIT_MS = 60_000;

/** Resolves with the first answer that is neither false nor undefined.
 *  @param what a claim, for the error: `three members are ready`
 *  @throws Error naming the claim, the limit and the last error of `read` */
export async function eventually<T>(
  what: string,
  read: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<T> {
  const startedAt = performance.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await read();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (err) {
      last = err;
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs >= stretched(limitMs)) {
      throw new Error(
        `not within ${Math.round(waitedMs / 1000)} s: ${what}`,
        last === undefined ? undefined : { cause: last },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
  }
}
