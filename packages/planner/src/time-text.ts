// Times as people and the API server read them, in UTC.

/** RFC 3339, whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since 1970, or undefined for what is missing or no time. */
export function timeMs(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** "14:03:12"; a text when the time is not finite. */
export function clockText(ms: number): string {
  return Number.isFinite(ms) ? timeText(ms).slice(11, 19) : 'an unknown time';
}
