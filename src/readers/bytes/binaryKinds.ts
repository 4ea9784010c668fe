/** Recognises binary files by their first bytes. */

/** A NUL among this many bytes makes a file binary. */
export const BINARY_PROBE = 8192;

/**
 * Beginnings of binary formats that may have no NUL there, as binary strings: UTF-16 and UTF-32 with a mark, compressed data, archives,
 * PDF, office files, images, databases, tables and programs. No UTF-8 text begins in this way.
 */
const BEGINNINGS: readonly string[] = [
  ...['\xff\xfe', '\xfe\xff', '\0\0\xfe\xff'],
  ...['\x1f\x8b\x08', '\x1f\x9d', '\x28\xb5\x2f\xfd', '\xfd7zXZ\0', '\x04\x22\x4d\x18'],
  ...[...'123456789'].map((level) => `BZh${level}1AY&SY`),
  ...['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08', '7z\xbc\xaf\x27\x1c', 'Rar!\x1a\x07'],
  ...['%PDF-1.', '%PDF-2.', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ...['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'II*\0', 'MM\0*'],
  ...['SQLite format 3\0', 'Obj\x01', '\x89HDF\r\n\x1a\n', '\x93NUMPY'],
  ...['\x7fELF', '\xca\xfe\xba\xbe', '\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\0asm'],
];

/** By the first two bytes, the first one times 256: 1 if one of the beginnings has them. */
export const BINARY_PAIRS = new Uint8Array(65536);
for (const bytes of BEGINNINGS) BINARY_PAIRS[(bytes.charCodeAt(0) << 8) | bytes.charCodeAt(1)] = 1;

/** Whether the first BINARY_PROBE bytes of a file contain a NUL, or begin like a binary format. */
export function isBinary(bytes: Uint8Array): boolean {
  const probed = bytes.length > BINARY_PROBE ? bytes.subarray(0, BINARY_PROBE) : bytes;
  // The search of Buffer is memchr, 30 times as fast as that of typed arrays.
  if (Buffer.prototype.indexOf.call(probed, 0) >= 0) return true;
  if (bytes.length < 2 || BINARY_PAIRS[(bytes[0]! << 8) | bytes[1]!] === 0) return false;
  return BEGINNINGS.some((beginning) => {
    for (let i = 0; i < beginning.length; i++) if (bytes[i] !== beginning.charCodeAt(i)) return false;
    return true;
  });
}
