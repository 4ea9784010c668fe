/** Numbers of bytes in messages about memory and disk. */

/** `12.3 MB`, or a smaller unit if that would be rounded to 0. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${bytes} bytes`;
}
