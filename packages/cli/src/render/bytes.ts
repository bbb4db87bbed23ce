// Sizes as people read them. Pure.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5GiB`; `-` when it is not known. */
export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined || !Number.isFinite(bytes)) return '-';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)}${UNITS[unit]}`;
}
