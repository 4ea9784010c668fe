/**
 * The fields of lines of sets, as `--columns` takes them.
 *
 * Floor 4.
 */

export const COLUMNS_EXPECTED =
  'two or three different fields, separated by commas, as numbers from 1 or as names, such as 1,2,3 or user,item';

/** The fields in a list `a,b` or `a,b,c`, or null where it is none. */
export function parseColumns(value: unknown): readonly string[] | null {
  const fields: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(fields) || fields.length < 2 || fields.length > 3) return null;
  if (!fields.every((field) => typeof field === 'string' && field !== '')) return null;
  // A number among names, or 0, is a slip and no name.
  const numbers = fields.filter((field) => /^\d+$/.test(field as string));
  if (numbers.length > 0 && (numbers.length < fields.length || numbers.some((field) => Number(field) === 0)))
    return null;
  return new Set(fields).size === fields.length ? [...(fields as string[])] : null;
}
