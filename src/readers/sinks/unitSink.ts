/** Cuts documents into the units that are compared, between a reader and its sink. */
import type { AS_TEXT, DocumentSink, PAGE, ReasonLeftOut } from '../../blocks/documents.js';
import type { FieldValues } from '../../blocks/fieldValues.js';
import type { ErrorCode } from '../../errors.js';
import type { ResultParams, Unit } from '../../sketch/params.js';
import { type CutUnit, UnitCutter, type UnitSink } from '../../text/units.js';

/** A sink for readers that passes on documents, or units of them, to `sink`. */
export function ofUnits(sink: DocumentSink, unit: Unit): DocumentSink {
  return unit === 'document' ? sink : new UnitDocuments(sink, unit);
}

/** Documents or units of fewer tokens are not compared; a unit without tokens never is. */
export function leastTokensOf({ unit, minTokens }: Pick<ResultParams, 'unit' | 'minTokens'>): number {
  return unit === 'document' ? minTokens : Math.max(1, minTokens);
}

/** Cuts every document and passes its units on; problems are about whole documents. */
class UnitDocuments implements DocumentSink, UnitSink {
  private readonly sink: DocumentSink;
  private readonly cutter: UnitCutter;
  /** The current document. */
  private file = 0;
  private record = 0;
  private id: Uint8Array | null = null;
  private what = 0;
  /** Values of its fields, which all of its units have; and those of the next document. Null: none. */
  private values: FieldValues | null = null;
  private given: FieldValues | null = null;
  /** Units before the beginning of the next text. */
  private before = 0;
  /** Whether the text of the current unit is wanted. */
  private isWanted = false;

  constructor(sink: DocumentSink, unit: CutUnit) {
    this.sink = sink;
    this.cutter = new UnitCutter(unit, this);
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    return this.begins(file, record, id?.slice() ?? null);
  }

  fields(values: FieldValues): void {
    this.given = values;
  }

  text(bytes: Uint8Array): void {
    this.cutter.push(bytes);
  }

  follows(units: number): void {
    this.before = units;
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.what |= what;
  }

  pass(file: number, why: ReasonLeftOut, records: number): void {
    this.sink.pass?.(file, why, records);
  }

  end(repaired: boolean): void {
    this.cutter.end();
    this.sink.endDocument?.(repaired, this.what);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.begins(file, record, id)) return;
    this.cutter.all(text);
    this.sink.endDocument?.(repaired, 0);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.before = 0;
    this.given = null;
    this.sink.skip(file, record, code, id);
  }

  unit(number: number, bytes: Uint8Array, begins: boolean, ends: boolean): void {
    const { sink, file, record, id } = this;
    if (begins && this.values !== null) sink.fields?.(this.values);
    if (begins && ends) {
      sink.whole(file, record, id, bytes, false, number);
      return;
    }
    if (begins) this.isWanted = sink.begin(file, record, id, number);
    if (!this.isWanted) return;
    if (bytes.length > 0) sink.text(bytes);
    if (ends) sink.end(false);
  }

  private begins(file: number, record: number, id: Uint8Array | null): boolean {
    const { before } = this;
    this.before = 0;
    this.values = this.given;
    this.given = null;
    if (this.sink.beginDocument?.(file, record, before > 0) === false) return false;
    this.file = file;
    this.record = record;
    this.id = id;
    this.what = 0;
    this.cutter.begin(before);
    return true;
  }
}
