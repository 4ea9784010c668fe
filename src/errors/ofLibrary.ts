/**
 * Errors of what a program gives to the library: documents, streams, sketches.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */

export const ERRORS_OF_LIBRARY = {
  DOCUMENT_INVALID: {
    scope: 'use',
    text: 'a value is no text',
    remedy: 'give a string or a Uint8Array of UTF-8, or documents as { id, text } with such a text',
  },
  SKETCH_INVALID: {
    scope: 'use',
    text: 'a value is no sketch that can be used',
    remedy:
      'make sketches with sketchOf or sketchOfElements, keep them with sketchToBytes and sketchFromBytes',
  },
  SKETCHES_DIFFER: {
    scope: 'use',
    text: 'the two sketches were made with different parameters',
    remedy: 'make both with the same options',
  },
  INPUT_FAILED: {
    scope: 'run',
    text: 'an input stream failed before its end, so there is no result',
    remedy: 'mend what writes into it, and run again; the cause of the error is that of the stream',
  },
} as const;
