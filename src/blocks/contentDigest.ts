/**
 * A digest of the texts of a corpus: the sum of the 128-bit content keys of its documents, word by word. It does not depend on the
 * order of documents or on batches, so every engine computes the same digest.
 */

const WORDS = 4;

export class ContentDigest {
  private readonly words = new Uint32Array(WORDS);

  /** Adds content keys. @param keys four words per document, or the words of another digest */
  add(keys: ArrayLike<number>): void {
    const { words } = this;
    for (let i = 0; i < keys.length; i++) words[i % WORDS]! += keys[i]!;
  }

  /** Adds a digest in the form of `text`. */
  addText(text: string): void {
    this.add(Array.from({ length: WORDS }, (_, i) => Number.parseInt(text.slice(8 * i, 8 * i + 8), 16)));
  }

  /** 32 hexadecimal digits; all 0 without documents. */
  text(): string {
    return Array.from(this.words, (word) => word.toString(16).padStart(8, '0')).join('');
  }
}
