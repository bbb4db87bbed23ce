/** A time as the API server writes it (metav1.Time): UTC, in whole seconds. */
export function serverTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
