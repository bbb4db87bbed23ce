// Parts of the sentences that people read: names in a row, and as much as the field of the status takes.

const MESSAGE = 1024;
const SHORT_MESSAGE = 200;

/** Of a condition, or of an operation. */
export function messageText(text: string): string {
  return text.slice(0, MESSAGE);
}

/** Of a decision, or of an update that has stopped. */
export function shortMessageText(text: string): string {
  return text.slice(0, SHORT_MESSAGE);
}

/** `demo-1, demo-3`. */
export function namesOf(all: readonly { readonly name: string }[]): string {
  return all.map(({ name }) => name).join(', ');
}
