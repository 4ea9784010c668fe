/**
 * What a view asks of all texts of the corpus: how many bytes each document of a cluster has, and which of them have some words. Each is
 * one reading of the inputs behind the back of who asks, in steps; what was found is remembered.
 */
import { type AskedResult, whyUnread } from '../analysis/result/pairTexts.js';
import type { ResultIndex } from '../output/resultIndex.js';
import { eachDocument, type MetDocument } from '../readers/find.js';
import type { Inputs } from '../readers/list/inputs.js';
import { lowered } from './wordSearch.js';

/** Searches that are remembered. */
const REMEMBERED = 8;

/** Why texts are not searched; null: they are. */
export function whyUnsearched(result: AskedResult): string | null {
  const { sets, unit = 'document' } = result.manifest.parameters;
  if (sets !== undefined) return 'sets have no texts';
  if (unit !== 'document') return `a ${unit} is searched by the id of its document`;
  const why = whyUnread(result);
  return why === null ? null : `texts are not read: ${why}; --corpus PATH says where they are`;
}

/** See the head of this file. */
export class TextScans {
  readonly #result: AskedResult;
  readonly #index: ResultIndex;
  readonly #inputs: Inputs;
  readonly #all: number;
  #bytes: Promise<Float64Array> | null = null;
  readonly #found = new Map<string, Promise<Uint8Array>>();
  /** Bytes that the reading in hand has passed. */
  #passed = 0;

  constructor(result: AskedResult, index: ResultIndex, inputs: Inputs) {
    this.#result = result;
    this.#index = index;
    this.#inputs = inputs;
    this.#all = inputs.files.sizes.reduce((sum, size) => sum + Math.max(0, size), 0);
  }

  /** How far the reading in hand is, 0..1. */
  get progress(): number {
    return this.#all === 0 ? 0 : Math.min(1, this.#passed / this.#all);
  }

  /** By document its bytes of text; 0 where it is not found any more. */
  bytes(): Promise<Float64Array> {
    this.#bytes ??= this.#sizes();
    this.#bytes.catch(() => {
      this.#bytes = null;
    });
    return this.#bytes;
  }

  async #sizes(): Promise<Float64Array> {
    const sizes = new Float64Array(this.#index.documents);
    await this.#each((document, text) => {
      sizes[document] = text.length;
    });
    return sizes;
  }

  /** By document, 1: all words (what has blanks between it) stand in its text, in large letters of ASCII or in small ones. */
  having(words: string): Promise<Uint8Array> {
    const known = this.#found.get(words);
    if (known !== undefined) return known;
    const made = this.#search(words);
    for (const old of [...this.#found.keys()].slice(0, Math.max(0, this.#found.size - REMEMBERED + 1)))
      this.#found.delete(old);
    this.#found.set(words, made);
    made.catch(() => this.#found.delete(words));
    return made;
  }

  async #search(words: string): Promise<Uint8Array> {
    const wanted = words
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => {
        const bytes = Buffer.from(word);
        lowered(bytes, bytes);
        return bytes;
      });
    const found = new Uint8Array(this.#index.documents);
    let small = Buffer.alloc(1 << 16);
    await this.#each((document, text) => {
      if (small.length < text.length) small = Buffer.alloc(2 * text.length);
      const own = small.subarray(0, text.length);
      lowered(text, own);
      if (wanted.every((word) => own.includes(word))) found[document] = 1;
    });
    return found;
  }

  /** Every text of a document of a cluster or pair. One reading at a time. */
  async #each(take: (document: number, text: Uint8Array) => void): Promise<void> {
    const index = this.#index;
    const isMet = new Uint8Array(index.documents);
    // Of equal ids the first keeps it, the others are called by their places.
    const numberOf = ({ id, place }: MetDocument): number => {
      const named = id === null ? -1 : index.find(id);
      return named >= 0 && isMet[named] === 0 ? named : index.find(place());
    };
    this.#passed = 0;
    await eachDocument(
      this.#inputs,
      this.#result.manifest.parameters,
      (text, document) => {
        const number = numberOf(document);
        if (number < 0) return;
        isMet[number] = 1;
        take(number, text);
      },
      (bytes) => {
        this.#passed += bytes;
        return new Promise((resolve) => setImmediate(resolve));
      },
    );
  }
}
