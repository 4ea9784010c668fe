/** The SQL expressions in which Spark and DuckDB differ. The rest of the statements (statements.ts) is the same for both. */

export interface Dialect {
  /** Type of a list of integers. */
  readonly ints: string;
  readonly longs: string;
  /** One row for each element of a list. */
  explode(list: string): string;
  /** The texts of a group, with commas in between. */
  joined(text: string): string;
  /** The lists of a group as one list, in the order of `by`. */
  concatenated(by: string, list: string): string;
  /** Number of positions at which two lists have equal values. */
  equalSlots(x: string, y: string): string;
  /** Whether two lists are equal in one of `bands` runs of `rows` elements. */
  sharesBand(x: string, y: string, bands: number, rows: number): string;
  /** Number of elements that two sets have in common. */
  commonElements(x: string, y: string): string;
  length(list: string): string;
  /** The elements of a list as text, with commas in between. */
  listText(list: string): string;
  /** The text with each character written as two hexadecimal digits of its UTF-8 bytes; for ASCII digits only. */
  hexOfDigits(text: string): string;
}

/** Spark 3.5 and later. */
export const SPARK: Dialect = {
  ints: 'ARRAY<INT>',
  longs: 'ARRAY<BIGINT>',
  explode: (list) => `explode(${list})`,
  joined: (text) => `array_join(collect_list(${text}), ',')`,
  concatenated: (by, list) =>
    `flatten(transform(array_sort(collect_list(struct(${by} AS at, ${list} AS part))), x -> x.part))`,
  equalSlots: (x, y) => `size(filter(zip_with(${x}, ${y}, (p, q) -> p = q), z -> z))`,
  sharesBand: (x, y, bands, rows) => {
    const run = (list: string): string => `slice(${list}, ${rows} * b + 1, ${rows})`;
    return `exists(sequence(0, ${bands - 1}), b -> ${run(x)} = ${run(y)})`;
  },
  commonElements: (x, y) => `size(array_intersect(${x}, ${y}))`,
  length: (list) => `size(${list})`,
  listText: (list) => `array_join(${list}, ',')`,
  hexOfDigits: (text) => `regexp_replace(${text}, '(.)', '3$1')`,
};
