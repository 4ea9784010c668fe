// Signature -> bucket keys; src/sketch/bandKeys.ts is the reference.

const BAND: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;
const ROW: u64 = ((<u64>0xc2b2ae3d) << 32) | 0x27d4eb4f;
const END: u64 = ((<u64>0xff51afd7) << 32) | 0xed558ccd;

/**
 * Writes the 64-bit bucket key of every band to `out`. `seedAt`: address of the seed's start value (u64). The
 * bands do not wait for each other, so the processor works on several chains of products at once.
 */
export function bandKeys(signature: usize, bands: u32, rows: u32, seedAt: usize, out: usize): void {
  const width = (<usize>rows) << 2;
  let start = load<u64>(seedAt);
  for (const end = out + ((<usize>bands) << 3); out < end; out += 8) {
    start += BAND;
    let key = start;
    for (const bandEnd = signature + width; signature < bandEnd; signature += 4) {
      key = (key ^ <u64>load<u32>(signature)) * ROW;
      key ^= key >> 32;
    }
    key *= END;
    store<u64>(out, key ^ (key >> 29));
  }
}
