// metav1.MicroTime: the API server refuses a time without exactly six fractional digits (kubernetes-client/javascript
// #828).

/** @param wallMs milliseconds since 1970. `2026-01-01T00:00:00.000000Z` */
export function formatMicroTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
