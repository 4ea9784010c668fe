/**
 * The entries of the table of options that say what is measured, and by which sketch.
 *
 * Floor 4. Data only, as the table.
 */
import type { OptionEntry } from './entry.js';

/** About as much memory as signatures of the usual length, for texts of 5 KB. */
export const USUAL_MODULUS = 8;

export const SKETCH: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'choice', choices: ['fss', 'classic', 'oph', 'min-s', 'mod-m'] },
  placeholder: 'NAME',
  default: 'fss',
  short: 'how documents are sketched: fss, classic, oph, min-s or mod-m',
  long:
    'fss: Fast Similarity Sketching. classic: independent minhash functions. ' +
    'oph: one permutation hashing, densified after the last merge. ' +
    'min-s, mod-m: samples of fingerprints, the smallest N or one in M, paired by those they share. ' +
    'With --measure containment mod-m is the default.',
};

export const HASHES: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'integer', least: 16, most: 1024 },
  placeholder: 'N',
  default: 128,
  short: 'length of a signature or of a sample of min-s, 16 to 1024',
};

export const MEASURE: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'choice', choices: ['resemblance', 'containment'] },
  placeholder: 'WHAT',
  default: 'resemblance',
  short: 'what makes a pair: resemblance or containment',
  long:
    'containment: the share of the shorter set that is in the longer one, found by samples (mod-m) and verified ' +
    'exactly; the drop list then drops only what a kept document contains.',
};

export const MODULUS: OptionEntry = {
  group: 'How pairs are found and verified',
  decides: 'result',
  kind: { kind: 'integer', least: 1, most: 2 ** 20 },
  placeholder: 'M',
  default: null,
  defaultText: String(USUAL_MODULUS),
  short: 'mod-m keeps one fingerprint in M, 1 to 1048576',
  long: 'Of short documents all are kept. 1 keeps those of every document, so that nothing is estimated.',
};
