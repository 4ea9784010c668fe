/** Well-mixed 64-bit hashes for tests: the same for the same seed, on every machine. */

/** A stream of uint32 (sfc32, Doty-Humphrey), warmed up so that neighbouring seeds have nothing in common. */
export function randomWords(seed: number): () => number {
  let a = seed | 0;
  let b = 0x9e3779b9;
  let c = 0x243f6a88;
  let counter = 1;
  const next = (): number => {
    const out = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + out) | 0;
    return out >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

/** `count` hashes as pairs (low, high). */
export function randomHashes(count: number, seed: number): Uint32Array {
  const next = randomWords(seed);
  return Uint32Array.from({ length: 2 * count }, next);
}

/** Hash i of a list as an unsigned 64-bit number. */
export function bigOf(hashes: Uint32Array, i: number): bigint {
  return (BigInt(hashes[2 * i + 1]!) << 32n) | BigInt(hashes[2 * i]!);
}
