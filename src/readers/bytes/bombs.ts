/** The limits of what packed data may unpack to, in a file of their own: unpackers are loaded when needed. */

/**
 * Data that unpack to more than this many times their size, beyond an allowance, are a bomb: texts reach 50,
 * and gzip at most 1032.
 */
export const MOST_RATIO = 250;

/**
 * Unpacked bytes that one file may have whatever its ratio; for a stream, which is not held, --max-document
 * is the allowance.
 */
export const ALLOWANCE_BYTES = 64 << 20;
