/**
 * Shingle hashes -> signatures, sets: the fast counterpart of src/sketch.
 *
 * All addresses are parameters and no state is kept between calls: an instance serves any number of
 * sketchers. A 64-bit hash is a little-endian u64, a slot a u32. Addresses need no alignment, but SIMD loads may
 * read up to 128 bytes past an end. Small functions have no @inline: at -O3 the optimiser leaves no call in
 * a loop over hashes, with or without it.
 */
export * from './classic';
export * from './fss';
export * from './sets';
export * from './sort';
