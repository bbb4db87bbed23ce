import type { Hold } from './observation.ts';

/** @param message one sentence that stands still while nothing changes */
export function hold(reason: Hold['reason'], message: string, needsPerson = false): Hold {
  return { reason, message, needsPerson };
}
