/**
 * The part of the error table that is about what is no error: documents and places that skipped.tsv lists beside those that
 * were skipped, because a count alone would not say which they are.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */
export const NOTES = {
  REPAIRED: {
    scope: 'note',
    text: 'read, but part of it was replaced (bytes that are no text became U+FFFD) or cut (more than 30 marks on a letter)',
    remedy: 'where the text looks wrong, name its --encoding',
  },
  SETS_REPAIRED: {
    scope: 'note',
    text: 'read, but an element that stands in it more than 65,535 times was counted so often',
    remedy: 'nothing, unless such counts are a mistake',
  },
  EMPTY: {
    scope: 'note',
    text: 'read, but without a token, so it is like no other document',
    remedy: 'nothing, unless it should have a text: then look at --text-field and --shingle',
  },
  SETS_EMPTY: {
    scope: 'note',
    text: 'read, but without an element, so it is like no other set',
    remedy: 'nothing, unless it should have elements: then look at --columns and its weights',
  },
  LINK_INSIDE: {
    scope: 'note',
    text: 'a symbolic link to what lies below the PATHs and is met there under its own name',
    remedy: 'nothing: its target is read',
  },
  LINK_OUTSIDE: {
    scope: 'note',
    text: 'a symbolic link to what does not lie below the PATHs, or is left out there',
    remedy: 'name its target as a PATH if it is to be read: a PATH may be a link',
  },
  LINK_BROKEN: {
    scope: 'note',
    text: 'a symbolic link that leads nowhere: its target is missing, out of reach or the link itself',
    remedy: 'mend the link or remove it',
  },
} as const;

/** Why a row stands in skipped.tsv. */
export type ListedKind = 'skipped' | 'repaired' | 'empty' | 'left out';

/** What a note says of a document or place. */
export const NOTE_KINDS: Readonly<Record<keyof typeof NOTES, ListedKind>> = {
  REPAIRED: 'repaired',
  SETS_REPAIRED: 'repaired',
  EMPTY: 'empty',
  SETS_EMPTY: 'empty',
  LINK_INSIDE: 'left out',
  LINK_OUTSIDE: 'left out',
  LINK_BROKEN: 'left out',
};
