/** Replaces texts that are HTML pages by their visible text, between a reader of records and its sink. */
import type { AS_TEXT, PAGE, ReasonLeftOut, TextSink } from '../../blocks/documents.js';
import type { FieldValues } from '../../blocks/fieldValues.js';
import type { ErrorCode } from '../../errors.js';
import type { LineLimits, PlacedLines, TextRoom } from '../../text/shingles.js';
import type { ReadParams } from '../documentSink.js';
import { giveVisible, HEAD_BYTES, isPageOfRecord } from '../formats/web/pages.js';

export class PagesInRecords implements TextSink {
  readonly #sink: TextSink;
  readonly #params: ReadParams;
  /** A copy: objects of parameters differ in shape between tasks, and compiled code depends on the shape. */
  readonly #textFormat: ReadParams['textFormat'];
  /** Pieces of a text that may be a page; null: its pieces are passed on as they come. */
  #held: Uint8Array[] | null = null;
  #heldBytes = 0;
  /** The current document is a page, and is held whole. */
  #isPage = false;
  #file = 0;
  #record = 0;
  #id: Uint8Array | null = null;

  constructor(sink: TextSink, params: ReadParams) {
    this.#sink = sink;
    this.#params = params;
    this.#textFormat = params.textFormat;
  }

  opensFile(file: number): boolean {
    return this.#sink.opensFile?.(file) !== false;
  }

  fields(values: FieldValues): void {
    this.#sink.fields?.(values);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.#sink.is?.(what);
  }

  pass(file: number, why: ReasonLeftOut, records: number): void {
    this.#sink.pass?.(file, why, records);
  }

  room(): TextRoom | null {
    return this.#sink.room?.() ?? null;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (!this.#sink.begin(file, record, id)) return false;
    this.#held = [];
    this.#heldBytes = 0;
    this.#isPage = false;
    this.#file = file;
    this.#record = record;
    this.#id = id?.slice() ?? null;
    return true;
  }

  text(bytes: Uint8Array): void {
    if (this.#held === null) {
      this.#sink.text(bytes);
      return;
    }
    this.#heldBytes += bytes.length;
    if (this.#held.length === 0 && bytes.length >= HEAD_BYTES && !isPageOfRecord(bytes, this.#textFormat)) {
      this.#held = null;
      this.#sink.text(bytes);
      return;
    }
    // Too large for a page: `end` skips it.
    if (this.#heldBytes > this.#params.maxDocument && this.#isPage) this.#held = [];
    else this.#held.push(bytes.slice());
    if (!this.#isPage && this.#heldBytes >= HEAD_BYTES) this.#decide();
  }

  end(repaired: boolean): void {
    if (this.#held !== null && !this.#isPage) this.#decide();
    if (!this.#isPage) this.#sink.end(repaired);
    else {
      const isWhole = this.#heldBytes <= this.#params.maxDocument;
      const source = Buffer.concat(this.#held!);
      this.#held = null;
      if (isWhole && giveVisible(source, this.#params, this.#sink)) this.#sink.end(repaired);
      else this.#sink.skip(this.#file, this.#record, 'TOO_LARGE', this.#id);
    }
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!isPageOfRecord(text, this.#textFormat)) {
      this.#sink.whole(file, record, id, text, repaired);
      return;
    }
    // A copy: the memory of the sink may move when it gets the first piece of visible text.
    const [source, name] = [text.slice(), id?.slice() ?? null];
    if (!this.#sink.begin(file, record, name)) return;
    if (giveVisible(source, this.#params, this.#sink)) this.#sink.end(repaired);
    else this.#sink.skip(file, record, 'TOO_LARGE', name);
  }

  takeLines(
    lines: PlacedLines,
    from: number,
    to: number,
    file: number,
    first: number,
    limits: LineLimits,
  ): number {
    if (this.#textFormat === 'html') return 0;
    return this.#sink.takeLines?.(lines, from, to, file, first, { ...limits, pages: true }) ?? 0;
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.#held = null;
    this.#sink.skip(file, record, code, id);
  }

  /** Decides whether the text is a page by its first bytes; if not, the held pieces are passed on. */
  #decide(): void {
    const held = Buffer.concat(this.#held!);
    this.#isPage = isPageOfRecord(held, this.#textFormat);
    if (this.#isPage) {
      this.#held = [held];
      return;
    }
    this.#held = null;
    if (held.length > 0) this.#sink.text(held);
  }
}
