// As much of a sentence as the field of the status takes that it is for.

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
