/**
 * The part of the error table that is about lines of sets.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */
export const ERRORS_OF_SETS = {
  SETS_NO_ELEMENT: {
    scope: 'document',
    text: 'the line has no element: a field is missing or empty',
    remedy: 'write set, TAB (in .csv files a comma), element, or say by --columns which fields they are',
  },
  SETS_BAD_NAME: {
    scope: 'document',
    text: 'the name of the set is empty or longer than 64 KB',
    remedy: 'name the right field with --columns',
  },
  SETS_BAD_WEIGHT: {
    scope: 'document',
    text: 'the weight or rating is no finite number from 0, or of stars no whole number from 1 to 5',
    remedy: 'mend the line, or give --columns two fields if the third is no weight',
  },
  SETS_BAD_QUOTES: {
    scope: 'document',
    text: 'a quoted field does not end, or something stands between its end and the comma',
    remedy: 'double the quotes within it; a field may not hold a line break',
  },
  SETS_TOO_LARGE: {
    scope: 'document',
    text: 'the set has more elements than --max-document allows at 8 bytes each, copies counted',
    remedy: 'raise --max-document',
  },
  SETS_NO_COLUMN: {
    scope: 'document',
    text: 'the first line of the file lacks a field that --columns names',
    remedy: 'name fields as the first line does, or by number (from 1) where no line names them',
  },
} as const;
