// Shingle hashes -> signatures, bands, sorted sets.
export function sketchVersion(): i32 {
  return 1;
}
