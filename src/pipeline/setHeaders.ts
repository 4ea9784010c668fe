/**
 * Which fields the lines of a file have: asked once a file, because only its beginning can say it.
 *
 * Floor 4.
 */
import { decodeBlock } from '../blocks/block.js';
import type { BlockStore } from '../engine/engine.js';
import type { ErrorCode, Fault } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { binaryCodeOf } from '../storage/binaryKinds.js';
import { refusesBinary } from '../storage/readerSink.js';
import { type SetFields, setFieldsOf } from '../storage/setFields.js';
import { firstLineOf, readFirstLine } from '../storage/setSource.js';
import { columnsFault, type Unnamed } from './missingColumns.js';
import type { ColumnBlock } from './sketching.js';

/** Of a file that cannot be read: reading it says why. */
const ANY_FIELDS: SetFields = { set: 0, element: 1, weight: -1, comma: false, header: true };

export class SetHeaders {
  private readonly params: ResultParams;
  private readonly store: Pick<BlockStore, 'get'>;
  /** By number of the file; null: it has no such fields, or nothing at all. */
  private readonly known = new Map<number, SetFields | null>();
  private readonly refused: (file: number, code: ErrorCode) => void;
  /** The first file without the fields, and how many there are. */
  private unnamed: Unnamed | null = null;
  private without = 0;
  private hasFields = false;

  /** @param refused told once of every file whose first line does not name the fields */
  constructor(
    params: ResultParams,
    store: Pick<BlockStore, 'get'>,
    refused: (file: number, code: ErrorCode) => void,
  ) {
    this.params = params;
    this.store = store;
    this.refused = refused;
  }

  /** Where the files that were asked for are without the fields, and none has them; else null. */
  get fault(): Fault | null {
    if (this.unnamed === null || this.hasFields) return null;
    return columnsFault(this.params.sets!.columns, this.unnamed, this.without);
  }

  /** The fields of a range or chunk of lines; null: nothing of it is read. */
  of({ source, text }: ColumnBlock): SetFields | null {
    if (source.kind !== 'range' && source.kind !== 'chunk') throw new Error(`no lines: ${source.kind}`);
    const known = this.known.get(source.index);
    if (known !== undefined) return known;
    const firstLine = (): Uint8Array | ErrorCode => {
      if (source.kind === 'range') return readFirstLine(source.file.path);
      // A stream whose first line was too long to be held begins later.
      if (source.firstLine > 0) return new Uint8Array(1);
      return firstLineOf(decodeBlock(this.store.get(text!), 'text', text!).columns.bytes as Uint8Array);
    };
    const fields = this.fieldsOf(source.kind === 'range' ? source.file.id : source.id, firstLine);
    if (fields === 'SETS_NO_COLUMN') this.refused(source.index, fields);
    const found = typeof fields === 'string' ? null : fields;
    this.known.set(source.index, found);
    return found;
  }

  private fieldsOf(
    id: string,
    firstLine: () => Uint8Array | ErrorCode,
  ): SetFields | 'SETS_NO_COLUMN' | 'nothing' {
    const sets = this.params.sets!;
    if (!sets.named) return setFieldsOf(sets, id, () => new Uint8Array(0))!;
    const line = firstLine();
    if (typeof line === 'string') return ANY_FIELDS;
    if (line.length === 0) return 'nothing';
    if (refusesBinary(this.params) && binaryCodeOf(line) !== null) return ANY_FIELDS;
    const fields = setFieldsOf(sets, id, () => line);
    if (fields !== null) this.hasFields = true;
    else {
      this.unnamed ??= { id, firstLine: line.slice() };
      this.without++;
    }
    return fields ?? 'SETS_NO_COLUMN';
  }
}
