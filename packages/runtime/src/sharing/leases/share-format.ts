// The format in which replicas share, noted on their leases so that replicas of a version with another format are
// recognised (F31).
import { SLOTS } from '../slots/slots.ts';

/** The format of notes and register, and the number of slots. The first number is raised with every change that an
 *  earlier version would misread. */
export const SHARE_FORMAT = `1/${SLOTS}`;

/** Leases of the first format have no such annotation. */
const UNMARKED = '1/256';

/** The format that the annotation on a lease gives. */
export function formatOf(mark: string | undefined): string {
  return mark === undefined || mark === '' ? UNMARKED : mark;
}
