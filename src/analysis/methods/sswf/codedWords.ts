/**
 * Fingerprints of texts: the codes of selected words in the order of occurrence, for several selections at once (Gupta
 * and Singla, steps 2 to 4 of the algorithm). Other words are skipped, so a fingerprint is short.
 */

import { grown } from '../../../arrays/growable.js';
import { FingerprintTable, KeyFilter } from '../../../arrays/hashTable.js';

const LEAST_ROOM = 64;
/** Bits of the filter per selected word. The filter excludes most words of a corpus, which are in no selection. */
const FILTER_BITS = 32;

/** Computes the fingerprints of one text after the other: begin, take any number of times, then codesOf. */
export class CodedWords {
  private readonly words = new FingerprintTable();
  /** The selections that have word n, uses[offsets[n] .. offsets[n + 1]): pairs (selection, code). */
  private readonly uses: Uint32Array;
  private readonly offsets: Uint32Array;
  private readonly filter: KeyFilter;
  /** By selection: the codes of the text. */
  private readonly codes: Uint16Array[];
  private readonly lengths: Uint32Array;

  /** @param selections the distinct words of each, pairs (low, high), at most 65,536: code n is word n */
  constructor(selections: readonly Uint32Array[]) {
    const { words } = this;
    const usesOf: number[][] = [];
    selections.forEach((selected, selection) => {
      for (let i = 0; i < selected.length; i += 2) {
        const n = words.add(selected[i]!, selected[i + 1]!);
        usesOf[n] ??= [];
        usesOf[n].push(selection, i / 2);
      }
    });
    this.offsets = new Uint32Array(words.size + 1);
    usesOf.forEach((uses, n) => {
      this.offsets[n + 1] = this.offsets[n]! + uses.length;
    });
    this.uses = Uint32Array.from(usesOf.flat());
    this.filter = new KeyFilter(words, FILTER_BITS);
    this.codes = selections.map(() => new Uint16Array(LEAST_ROOM));
    this.lengths = new Uint32Array(selections.length);
  }

  begin(): void {
    this.lengths.fill(0);
  }

  /** Adds words of the text, hashes[0 .. 2*count), in order. */
  take(hashes: Uint32Array, count: number): void {
    const { filter } = this;
    for (let i = 0; i < 2 * count; i += 2) {
      if (filter.mayHave(hashes[i]!)) this.look(hashes[i]!, hashes[i + 1]!);
    }
  }

  /** Number of symbols of the text's fingerprint for this selection. */
  lengthOf(selection: number): number {
    return this.lengths[selection]!;
  }

  /** The text's fingerprint for this selection: a view, valid until the next text begins. */
  codesOf(selection: number): Uint16Array {
    return this.codes[selection]!.subarray(0, this.lengths[selection]!);
  }

  private look(low: number, high: number): void {
    const n = this.words.numberOf(low, high);
    if (n < 0) return;
    const { uses, offsets } = this;
    for (let i = offsets[n]!; i < offsets[n + 1]!; i += 2) this.append(uses[i]!, uses[i + 1]!);
  }

  private append(selection: number, code: number): void {
    const length = this.lengths[selection]!++;
    const codes = grown(this.codes[selection]!, length + 1);
    this.codes[selection] = codes;
    codes[length] = code;
  }
}
