/** Numbers, bytes and durations for people, the same on every machine (no locale). Pure. */

const SIZES = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** `1234567` is `1,234,567`; for whole numbers. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `2,000 files`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/** `999 bytes`, `1.5 KB`, `20 GB`; 1 KB is 1000 bytes. */
export function bytesText(bytes: number): string {
  let size = 0;
  let value = bytes;
  // 999.5 would be printed as 1000, so the next size begins there.
  while (value >= (size === 0 ? 1000 : 999.5) && size < SIZES.length - 1) {
    value /= 1000;
    size += 1;
  }
  return `${size > 0 && value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${SIZES[size]}`;
}

/** `0.4 s`, `59 s`, `3 min 05 s`, `2 h 07 min`; milliseconds in. */
export function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (milliseconds < 9950) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${twoDigits(seconds % 60)} s`;
  const minutes = Math.round(milliseconds / 60_000);
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
