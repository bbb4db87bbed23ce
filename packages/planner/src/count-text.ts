// Numbers as people read them, without Intl: making its first formatter maps 7 MiB of locale data into every operator.

/** `22,000`. @param value not negative */
export function countText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:[0-9]{3})+$)/g, ',');
}
