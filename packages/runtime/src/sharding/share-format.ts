// In which format a replica says what it has, so that one of a version that says or counts it otherwise
// is told from the others (F31).
import { SLOTS } from './slots.ts';

/** Of notes and register, and into how many slots clusters fall. The first number is raised with every change of these
 *  that an earlier version would misread. */
export const SHARE_FORMAT = `1/${SLOTS}`;

/** Leases of the first format do not say so. */
const UNMARKED = '1/256';

/** What the annotation on a lease says. */
export function formatOf(mark: string | undefined): string {
  return mark === undefined || mark === '' ? UNMARKED : mark;
}
