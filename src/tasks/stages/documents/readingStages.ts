/**
 * Stages that read the corpus: documents -> sketches, and in the second reading shingle sets.
 *
 * A task holds one block of lines (pieceBytesOf, about 4 MB, or one larger line or file) and what mappers make of it.
 */

import { contentKeys } from '../../../../mappers/contentKeys.js';
import { collectHashes, type WantedDocuments } from '../../../../mappers/shingleSets.js';
import { fusedSignatures } from '../../../../mappers/signatures.js';
import type { Block } from '../../../blocks/block.js';
import { countsWithoutRow, EMPTY, HAS_ID, passedIn, WHOLE_FILE } from '../../../blocks/documents.js';
import { type FieldColumns, fieldColumns } from '../../../blocks/fieldValues.js';
import { type ErrorCode, SKIP_CODES } from '../../../errors.js';
import { BINARY_PROBE, binaryCodeOf, packedBinaryCodeOf } from '../../../readers/bytes/binaryKinds.js';
import { refusesBinary } from '../../../readers/documentSink.js';
import { fieldsRead, type ResultParams, type SketchParams, signatureParams } from '../../../sketch/params.js';
import { BlockReader, type CorpusBlock, corpusBlocks } from '../../stream/corpusBlocks.js';
import { CorpusFiles } from '../../stream/corpusFiles.js';
import { CONTENT, KINDS, WHOLE_ORDINAL, WHOLE_RECORD } from '../../stream/kinds.js';
import { FieldWriter, type RecordSink } from '../../stream/records.js';
import type { StagePlace, StreamStage } from '../../stream/stage.js';
import { appendValue } from '../../stream/survivorOrder.js';
import { WantedBits } from '../../stream/wantedBits.js';

/** Bytes of a content key in a place. */
const PLACE_CONTENT = 4;

const ordinalOf = (block: CorpusBlock, record: number): number =>
  record === WHOLE_FILE ? WHOLE_ORDINAL : block.first + record;

/** The key of a row of a column of keys: four words, little-endian as every machine here. */
function keyOf(keys: Uint32Array, row: number): Uint8Array {
  return new Uint8Array(keys.buffer, keys.byteOffset + CONTENT * row, CONTENT);
}

/** Which content keys were told of: the last one in each of some thousand places, so that copies near each other cost one sketch. */
class ToldKeys {
  private readonly told = new Uint32Array(4 * 8192);
  private readonly isTold = new Uint8Array(8192);

  /** Whether the key of a row is not among them; it is now. */
  isNew(keys: Uint32Array, row: number): boolean {
    const at = keys[4 * row]! % 8192;
    let isSame = this.isTold[at] === 1;
    for (let word = 0; word < 4; word++) {
      isSame &&= this.told[4 * at + word] === keys[4 * row + word];
    }
    if (isSame) return false;
    this.isTold[at] = 1;
    for (let word = 0; word < 4; word++) this.told[4 * at + word] = keys[4 * row + word]!;
    return true;
  }
}

/** Signatures of the documents of a block: row r begins at `stride * r`. */
interface Slots {
  readonly slots: Uint32Array;
  readonly stride: number;
  readonly hashes: number;
}

/** What is written of a reading, record by record. */
class SketchRecords {
  private readonly key = new FieldWriter();
  private readonly value = new FieldWriter();
  private readonly out: RecordSink;
  private readonly here: StagePlace;
  private readonly fields: readonly string[];
  private readonly told = new ToldKeys();

  constructor(out: RecordSink, here: StagePlace) {
    this.fields = fieldsRead(here.manifest.params);
    this.out = out;
    this.here = here;
  }

  /** `sketches` is null where documents are compared by their tokens alone. */
  documents(block: CorpusBlock, table: Block, sketches: Slots | null): void {
    const { columns } = table;
    const values = this.fields.map((_, field) => fieldColumns(table, field));
    const flags = columns.flags as Uint8Array;
    const contentKeys = columns.contentKey as Uint32Array;
    const idOffsets = columns.idOffsets as Uint32Array;
    for (let row = 0; row < flags.length; row++) {
      const hasId = (flags[row]! & HAS_ID) !== 0;
      const bytes = columns.idBytes as Uint8Array;
      const id = hasId ? bytes.subarray(idOffsets[row]!, idOffsets[row + 1]!) : null;
      const ordinal = ordinalOf(block, columns.record![row]!);
      this.key.reset().u8(KINDS.read).raw(keyOf(contentKeys, row));
      this.writeSplit(this.key, block).u32(ordinal);
      this.writeFacts(columns, row);
      this.writeId(this.value, id);
      this.out.put(this.key.view, this.value.view);
      if (hasId) this.here.facts.add('named documents', 1);
      if (values.length > 0) this.values(values, row, (flags[row]! & EMPTY) !== 0);
      if (sketches === null || (flags[row]! & EMPTY) !== 0 || !this.told.isNew(contentKeys, row)) continue;
      const { slots, stride, hashes } = sketches;
      const own = new Uint8Array(slots.buffer, slots.byteOffset + 4 * stride * row, 4 * hashes);
      this.key.reset().u8(KINDS.sketch).raw(keyOf(contentKeys, row));
      this.out.put(this.key.view, own);
    }
  }

  /** Under the key of the document, which was written last. */
  private values(fields: readonly (FieldColumns | null)[], row: number, isEmpty: boolean): void {
    const { key, value } = this;
    key.view[0] = KINDS.valued;
    value.reset().u8(isEmpty ? 1 : 0);
    for (const field of fields) appendValue(value, field, row);
    this.out.put(key.view, value.view);
  }

  skips(block: CorpusBlock, { columns }: Block): void {
    const offsets = columns.skipIdOffsets as Uint32Array;
    for (let i = 0; i < columns.skipCode!.length; i++) {
      const id = (columns.skipIdBytes as Uint8Array).subarray(offsets[i]!, offsets[i + 1]!);
      this.skip(block, columns.skipRecord![i]!, columns.skipCode![i]!, id.length === 0 ? null : id);
    }
  }

  skip(block: CorpusBlock, record: number, code: number, id: Uint8Array | null): void {
    this.writeSplit(this.key.reset().u8(KINDS.skipped), block).u32(ordinalOf(block, record));
    this.writeId(this.value.reset().u8(code), id);
    this.out.put(this.key.view, this.value.view);
    this.here.facts.add('skipped', 1);
  }

  passed(file: number, records: readonly number[]): void {
    this.key.reset().u8(KINDS.passed).u32(file);
    this.value.reset();
    for (const count of records) this.value.f64(count);
    this.out.put(this.key.view, this.value.view);
  }

  split(split: SplitCounts): void {
    this.writeSplit(this.key.reset().u8(KINDS.split), split);
    this.out.put(
      this.key.view,
      this.value.reset().u64(split.lines).u64(split.documents).u64(split.bytes).view,
    );
  }

  private writeSplit(
    writer: FieldWriter,
    { file, start }: { readonly file: number; readonly start: number },
  ): FieldWriter {
    return writer.u32(file).u64(start);
  }

  private writeFacts(columns: Block['columns'], row: number): void {
    const value = this.value.reset().u8(columns.flags![row]!);
    value
      .raw(keyOf(columns.textKey as Uint32Array, row))
      .f64(columns.occurrences![row]!)
      .f64(columns.textBytes![row]!)
      .f64(columns.tokens![row]!);
  }

  private writeId(writer: FieldWriter, id: Uint8Array | null): void {
    writer.u8(id === null ? 0 : 1);
    if (id !== null) writer.raw(id);
  }
}

/** What was met of the split that is read. */
interface SplitCounts {
  readonly file: number;
  readonly start: number;
  lines: number;
  documents: number;
  bytes: number;
  /** The file is no text, or cannot be opened. */
  readonly isRefused: boolean;
}

/** Why the file that begins with a block is not read; null: it may be. */
function binaryCode(block: CorpusBlock, files: CorpusFiles, { params }: StagePlace['manifest']) {
  if (block.start > 0 || block.first > 0 || block.form !== 'lines' || !refusesBinary(params)) return null;
  const isPacked = files.file(block.file).packing !== null;
  const probe = block.bytes.subarray(0, BINARY_PROBE);
  return isPacked ? packedBinaryCodeOf(probe) : binaryCodeOf(probe);
}

const sketchOf = (params: ResultParams): SketchParams => signatureParams(params).sketch;

function sketchedBy(
  { documents, bytes, slots, signatures }: ReturnType<typeof fusedSignatures>,
  { hashes }: SketchParams,
) {
  return { documents, bytes, sketches: { slots, stride: signatures.meta.stride as number, hashes } };
}

/** The corpus as documents and sketches. */
class CorpusSketching {
  private readonly here: StagePlace;
  private readonly records: SketchRecords;
  private readonly files: CorpusFiles;
  private readonly reader: BlockReader;
  private current: SplitCounts | null = null;

  constructor(out: RecordSink, here: StagePlace) {
    const { params } = here.manifest;
    this.here = here;
    this.files = new CorpusFiles(here.manifest);
    this.reader = new BlockReader(here.kernel, this.files, { ...params, fields: fieldsRead(params) });
    this.records = new SketchRecords(out, here);
  }

  run(input: Parameters<StreamStage['map']>[0]): void {
    const { facts, manifest } = this.here;
    const leftOut = (): void => facts.add('rows of other files', 1);
    for (const block of corpusBlocks(input, this.files, manifest.params, leftOut)) {
      const split = this.splitOf(block);
      split.lines += block.lines;
      split.bytes += block.bytes.length;
      if (!split.isRefused) split.documents += this.sketch(block);
    }
    this.close();
  }

  private splitOf(block: CorpusBlock): SplitCounts {
    const { file, start } = block;
    const { current } = this;
    if (current !== null && current.file === file && current.start === start) return current;
    this.close();
    const code: ErrorCode | null = block.fault ?? binaryCode(block, this.files, this.here.manifest);
    if (code !== null) this.records.skip(block, WHOLE_FILE, SKIP_CODES.indexOf(code), null);
    const next = { file, start, lines: 0, documents: 0, bytes: 0, isRefused: code !== null };
    this.current = next;
    return next;
  }

  private close(): void {
    if (this.current !== null) this.records.split(this.current);
    this.current = null;
  }

  /** Returns how many documents there are. */
  private sketch(block: CorpusBlock): number {
    const { kernel, manifest } = this.here;
    const { params } = manifest;
    const feed = (sink: Parameters<BlockReader['read']>[1]): void => {
      sink.leaveAlone?.(params.minTokens);
      this.reader.read(block, sink);
    };
    const { shingle } = params;
    const made = params.exactDuplicates
      ? { ...contentKeys(feed, kernel, shingle), sketches: null }
      : sketchedBy(fusedSignatures(feed, kernel, shingle, sketchOf(params)), sketchOf(params));
    const table = made.documents(block.lines);
    this.records.documents(block, table, made.sketches);
    this.records.skips(block, table);
    const passed = passedIn(table);
    if (passed.some((records) => records > 0)) this.records.passed(block.file, passed);
    const { tooShort } = countsWithoutRow(table);
    if (tooShort > 0) this.here.facts.add('left out', tooShort);
    this.here.facts.add('text bytes', made.bytes);
    const documents = table.columns.flags!.length;
    this.here.facts.add('documents', documents);
    return documents;
  }
}

/** Map: rows -> documents (`read`), sketches, skips, splits. */
export const sketch: StreamStage = {
  reads: 'corpus',
  shuffles: [],
  prefix: 0,
  map: (input, out, here) => new CorpusSketching(out, here).run(input),
  reduce: null,
};

/** The documents of a block that are wanted, as its reader numbers them. */
function wantedIn(block: CorpusBlock, files: CorpusFiles, bits: WantedBits): WantedDocuments {
  const records =
    block.form === 'whole'
      ? bits.hasFile(block.file)
        ? [WHOLE_FILE]
        : []
      : bits.linesOf(block.file, files.recordOf(block.file, block.start, block.first), block.lines);
  return { file: new Uint32Array(records.length).fill(block.file), record: Float64Array.from(records) };
}

/** Map: the second reading; rows -> shingle sets of the wanted documents. */
export const sets: StreamStage = {
  reads: 'corpus',
  shuffles: [],
  prefix: 0,
  map(input, out, here) {
    const { params } = here.manifest;
    const files = new CorpusFiles(here.manifest);
    const reader = new BlockReader(here.kernel, files, params);
    const bits = new WantedBits(here);
    const [key, value] = [new FieldWriter(), new FieldWriter()];
    for (const block of corpusBlocks(input, files, params, () => {})) {
      // Whoever waits for its sets says that the file is gone.
      if (block.fault !== undefined) continue;
      const wanted = wantedIn(block, files, bits);
      if (wanted.file.length === 0) continue;
      const feed = (sink: Parameters<BlockReader['read']>[1]): void => reader.read(block, sink);
      const { table, offsets, hashes } = collectHashes(feed, here.kernel, params.shingle, wanted);
      const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
      for (let i = 0; i < table.record.length; i++) {
        // A document without a shingle had some when it was wanted.
        if (offsets[i] === offsets[i + 1]) continue;
        const record = table.record[i]!;
        key.reset().u8(KINDS.set).u32(block.file);
        key.u64(
          record === WHOLE_FILE
            ? WHOLE_RECORD
            : files.recordOf(block.file, block.start, block.first) + record,
        );
        key.raw(keyOf(table.contentKey as Uint32Array, i).subarray(0, PLACE_CONTENT));
        out.put(key.view, value.reset().raw(bytes, 8 * offsets[i]!, 8 * offsets[i + 1]!).view);
        here.facts.add('sets', 1);
      }
    }
  },
  reduce: null,
};
