/**
 * The parts of the error table that are about runs that read nothing.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */

/** Known before anything is read. */
export const ERRORS_OF_FIELDS = {
  TEXT_FIELD_UNKNOWN: {
    scope: 'use',
    text: 'the text field is not in the first records of any input',
    remedy:
      'name a field of the records with --text-field (leave it out for texts), or leave files of other records out with --exclude',
  },
} as const;

/** Known when all is read, or when that turns out to be impossible. */
export const ERRORS_OF_NOTHING = {
  NOTHING_READ: {
    scope: 'run',
    text: 'nothing was read, so there is no result',
    remedy:
      'name PATHs that hold what is to be compared, or change what keeps it out: --include, --exclude, --input, --encoding',
  },
  TEXT_FIELD_MISSING: {
    scope: 'run',
    text: 'no record that was read has the text field, so there is no result',
    remedy:
      'name a field of the records with --text-field, or leave files of other records out with --exclude',
  },
} as const;
