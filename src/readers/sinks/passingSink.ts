/** Passes documents on unchanged: the base of filters between a reader and its sink. */
import type { AS_TEXT, PAGE, ReasonLeftOut, TextSink } from '../../blocks/documents.js';
import type { FieldValues } from '../../blocks/fieldValues.js';
import type { ErrorCode } from '../../errors.js';
import type { TextRoom } from '../../text/shingles.js';

export class PassingSink implements TextSink {
  protected readonly sink: TextSink;

  constructor(sink: TextSink) {
    this.sink = sink;
  }

  opensFile(file: number): boolean {
    return this.sink.opensFile?.(file) !== false;
  }

  fields(values: FieldValues): void {
    this.sink.fields?.(values);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    return this.sink.begin(file, record, id);
  }

  text(bytes: Uint8Array): void {
    this.sink.text(bytes);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.sink.is?.(what);
  }

  follows(units: number): void {
    this.sink.follows?.(units);
  }

  pass(file: number, why: ReasonLeftOut, records: number): void {
    this.sink.pass?.(file, why, records);
  }

  end(repaired: boolean): void {
    this.sink.end(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    this.sink.whole(file, record, id, text, repaired);
  }

  room(): TextRoom | null {
    return this.sink.room?.() ?? null;
  }

  take(file: number, length: number, probed: number): boolean {
    return this.sink.take!(file, length, probed);
  }

  taken(): void {
    this.sink.taken!();
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.sink.skip(file, record, code, id);
  }
}
