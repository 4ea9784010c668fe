/** CRC-32 (IEEE 802.3, reflected, as in gzip) with eight tables of 256 entries, without Node (zlib.crc32 is new in Node 22). */
const TABLES = makeTables();

function makeTables(): Uint32Array {
  const tables = new Uint32Array(8 * 256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[i] = c >>> 0;
  }
  for (let t = 1; t < 8; t++) {
    for (let i = 0; i < 256; i++) {
      const before = tables[(t - 1) * 256 + i]!;
      tables[t * 256 + i] = (before >>> 8) ^ tables[before & 255]!;
    }
  }
  return tables;
}

/** The checksum as an unsigned 32-bit number; 0 for no bytes. `before`: the checksum of the preceding bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const T = TABLES;
  let c = ~before;
  let i = 0;
  for (const end = bytes.length - 7; i < end; i += 8) {
    const low = c ^ (bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24));
    c =
      T[1792 + (low & 255)]! ^
      T[1536 + ((low >>> 8) & 255)]! ^
      T[1280 + ((low >>> 16) & 255)]! ^
      T[1024 + (low >>> 24)]! ^
      T[768 + bytes[i + 4]!]! ^
      T[512 + bytes[i + 5]!]! ^
      T[256 + bytes[i + 6]!]! ^
      T[bytes[i + 7]!]!;
  }
  for (; i < bytes.length; i++) c = (c >>> 8) ^ T[(c ^ bytes[i]!) & 255]!;
  return (c ^ -1) >>> 0;
}

/** A 32-bit number as eight hexadecimal digits. */
export function hexOf(word: number): string {
  return word.toString(16).padStart(8, '0');
}
