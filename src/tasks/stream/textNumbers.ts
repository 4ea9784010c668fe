/** Numbers the texts of one class by their keys of 16 bytes, in the order of arrival; a class may have very many members. */
import { CONTENT } from './kinds.js';
import { u32At } from './records.js';

/** 2^23 places of 20 bytes: 168 MB. */
const MOST_TEXTS = 2 ** 22;
const WORDS = CONTENT / 4;

/** An open-addressing hash table. Its keys are hashes already. */
export class TextNumbers {
  private places = 16;
  private count = 0;
  private keys = new Uint32Array(WORDS * this.places);
  /** By place: the number of the text plus 1; 0: the place is free. */
  private numbers = new Uint32Array(this.places);
  private readonly words = new Uint32Array(WORDS);

  /**
   * The number of a text; the first text has number 0.
   *
   * @throws RangeError where a class has more than MOST_TEXTS different texts
   */
  of(key: Uint8Array): number {
    for (let word = 0; word < WORDS; word++) this.words[word] = u32At(key, 4 * word);
    const place = this.placeOf(this.words, 0);
    if (this.numbers[place] !== 0) return this.numbers[place]! - 1;
    if (this.count === MOST_TEXTS) {
      throw new RangeError(
        `more than ${MOST_TEXTS} different texts have the same tokens; expected fewer; choose shingles that tell them apart (bytes, or chars)`,
      );
    }
    this.keys.set(this.words, WORDS * place);
    this.numbers[place] = ++this.count;
    if (2 * this.count > this.places) this.grow();
    return this.count - 1;
  }

  /** The place of a key, or the free place where the key belongs. */
  private placeOf(words: Uint32Array, from: number): number {
    let place = words[from]! & (this.places - 1);
    while (this.numbers[place] !== 0 && !this.isAt(place, words, from))
      place = (place + 1) & (this.places - 1);
    return place;
  }

  private isAt(place: number, words: Uint32Array, from: number): boolean {
    for (let word = 0; word < WORDS; word++) {
      if (this.keys[WORDS * place + word] !== words[from + word]) return false;
    }
    return true;
  }

  private grow(): void {
    const { keys, numbers } = this;
    this.places *= 2;
    this.keys = new Uint32Array(WORDS * this.places);
    this.numbers = new Uint32Array(this.places);
    for (let old = 0; old < numbers.length; old++) {
      if (numbers[old] === 0) continue;
      const place = this.placeOf(keys, WORDS * old);
      this.keys.set(keys.subarray(WORDS * old, WORDS * (old + 1)), WORDS * place);
      this.numbers[place] = numbers[old]!;
    }
  }
}
