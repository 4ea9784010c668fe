/** Rows of columns as engines that read the columns themselves pass them to tasks. */

/** Null: the row has none. */
export function valuesRow(text: Uint8Array | string | null, id: Uint8Array | string | null): Buffer {
  const [textBytes, idBytes] = [text, id].map((value) => Buffer.from(value ?? ''));
  const length = idBytes!.length.toString(16).toUpperCase().padStart(8, '0');
  return Buffer.concat([Buffer.from(`${text === null ? 0 : 1}${length}`), idBytes!, textBytes!]);
}
