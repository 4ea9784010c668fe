// Text -> shingle hashes.
export function textVersion(): i32 {
  return 1;
}
