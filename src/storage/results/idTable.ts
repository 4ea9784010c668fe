/**
 * The ids of all documents, by document number: one run of bytes and where each id starts in it.
 *
 * Floor 2. Ids are bytes, not text: file names may be invalid UTF-8. Knows nothing of files or formats.
 */

/**
 * Id of document d: `bytes[offsets[d] .. offsets[d + 1])`. Document numbers follow the byte order of the ids.
 */
export interface IdTable {
  /** n + 1 ascending numbers; n = 0: one entry, 0. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The table of the given binary strings, in their order. For tests and small lists: one string an id. */
export function idTableOf(ids: readonly string[]): IdTable {
  const offsets = new Uint32Array(ids.length + 1);
  for (let i = 0; i < ids.length; i++) offsets[i + 1] = offsets[i]! + ids[i]!.length;
  const bytes = new Uint8Array(offsets[ids.length]!);
  for (let i = 0; i < ids.length; i++) bytes.set(Buffer.from(ids[i]!, 'latin1'), offsets[i]!);
  return { offsets, bytes };
}
