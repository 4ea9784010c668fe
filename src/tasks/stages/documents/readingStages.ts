/**
 * Stages that read the corpus: documents become sketches and, in the second reading, shingle sets.
 *
 * A task holds one block of lines (pieceBytesOf, about 4 MB, or one larger line or file) and the mappers' output for it.
 */

import { contentKeys } from '../../../../mappers/contentKeys.js';
import { fusedFingerprints } from '../../../../mappers/samples.js';
import { collectHashes, type LargeSetSink, type WantedDocuments } from '../../../../mappers/shingleSets.js';
import { sketchedDocuments } from '../../../../mappers/signatures.js';
import type { Block } from '../../../blocks/block.js';
import {
  countsWithoutRow,
  type DocumentFeed,
  EMPTY,
  HAS_ID,
  passedIn,
  WHOLE_FILE,
} from '../../../blocks/documents.js';
import { fieldColumns } from '../../../blocks/fieldValues.js';
import { fingerprintsAt, fingerprintsOf } from '../../../blocks/fingerprints.js';
import { type ErrorCode, SKIP_CODES } from '../../../errors.js';
import type { Kernel, SignatureRows } from '../../../kernel/kernel.js';
import { BINARY_PROBE, binaryCodeOf, packedBinaryCodeOf } from '../../../readers/bytes/binaryKinds.js';
import { refusesBinary } from '../../../readers/documentSink.js';
import { leastTokensOf } from '../../../readers/sinks/unitSink.js';
import { filesOfSplit, isOfFiles, numberingOf } from '../../../readers/split.js';
import { isThinned } from '../../../sketch/family.js';
import {
  fieldsRead,
  type ResultParams,
  type SampleParams,
  sampleParams,
  signatureParams,
} from '../../../sketch/params.js';
import type { Thinning } from '../../../sketch/thinning.js';
import { BlockReader, type CorpusBlock, corpusBlocks, type PartBlock } from '../../stream/corpusBlocks.js';
import { CorpusFiles } from '../../stream/corpusFiles.js';
import { eliminatedOf } from '../../stream/eliminatedShingles.js';
import { GatheredRecords } from '../../stream/gatheredRecords.js';
import {
  CONTENT,
  CONTENT_HEAD,
  KINDS,
  PLACE,
  REFUSED,
  WHOLE_ORDINAL,
  WHOLE_RECORD,
} from '../../stream/kinds.js';
import {
  LARGE_SETS,
  type LargeSet,
  LargeSets,
  NO_HASH,
  putHashes,
  SET_HASHES,
} from '../../stream/largeSets.js';
import { RankBits, WANTED } from '../../stream/rankBits.js';
import { FieldWriter, type StageSink, sharesPrefix } from '../../stream/records.js';
import { appendSample } from '../../stream/sampleRecords.js';
import { MAP_ONLY, type StagePlace, type StreamStage } from '../../stream/stage.js';
import { appendValue } from '../../stream/survivorOrder.js';
import { WITHOUT_SET } from '../withdrawnStages.js';
import { emptinessOf } from './classSignatures.js';

/** A block, or a split that its reader opens. */
type Read = CorpusBlock | PartBlock;

const ordinalOf = ({ first }: Pick<Read, 'first'>, record: number): number =>
  record === WHOLE_FILE ? WHOLE_ORDINAL : first + record;

/** The bytes of a column: of keys four words each, little-endian as on every supported machine. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Documents whose content is remembered, at most: a power of two. */
const TOLD = 8192;

/**
 * Remembers the documents whose sketch was written: the last in each of TOLD places by content, so that nearby copies cost one
 * sketch. Only an earlier document makes one of a copy unnecessary, for the first member of a class stands for it.
 */
class ToldKeys {
  /** Four words of content a place; zeros, which are no document's: none is remembered. */
  private readonly told = new Uint32Array(4 * TOLD);
  /** The last document, by file, start of the split, ordinal and unit: the order of ranks as far as a task knows. */
  private file = 0;
  private start = 0;
  private ordinal = 0;
  private unit = 0;

  /** Whether no earlier document with the row's content is remembered; remembers the row then. */
  isNew(keys: Uint32Array, row: number, file: number, start: number, ordinal: number, unit: number): boolean {
    const { told } = this;
    // Engines may give splits in another order: the documents so far are not earlier than those that come.
    if ((file - this.file || start - this.start || ordinal - this.ordinal || unit - this.unit) < 0)
      told.fill(0);
    this.file = file;
    this.start = start;
    this.ordinal = ordinal;
    this.unit = unit;
    const at = 4 * (keys[4 * row]! & (TOLD - 1));
    let isSame = true;
    for (let word = 0; word < 4; word++) {
      isSame &&= told[at + word] === keys[4 * row + word];
      told[at + word] = keys[4 * row + word]!;
    }
    return !isSame;
  }
}

/** The sketches of the documents of a block, row after row: where the sketch of a row begins and ends in some bytes. */
interface Sketches {
  bytes: Uint8Array;
  from: number;
  to: number;
  /** Finds the sketch of a row behind the last one. */
  find(row: number): void;
}

/** Signatures as the kernel holds them. */
class HeldSignatures implements Sketches {
  bytes: Uint8Array = new Uint8Array(0);
  from = 0;
  to = 0;
  private readonly held: Iterator<Uint32Array>;
  private readonly stride: number;
  private readonly length: number;
  /** Rows before those in `bytes`, and the row behind the last of them. */
  private first = 0;
  private end = 0;

  /** `hashes`: the number of slots of a signature. */
  constructor({ held, stride }: SignatureRows, hashes: number) {
    this.held = held.values();
    this.stride = 4 * stride;
    this.length = 4 * hashes;
  }

  find(row: number): void {
    while (row >= this.end) {
      this.bytes = bytesOf(this.held.next().value!);
      this.first = this.end;
      this.end += this.bytes.length / this.stride;
    }
    this.from = this.stride * (row - this.first);
    this.to = this.from + this.length;
  }
}

/** Samples, written one behind the other. */
class WrittenSamples implements Sketches {
  readonly bytes: Uint8Array;
  from = 0;
  to = 0;
  private readonly starts: Uint32Array;

  /** `starts`: of each row, and behind the last one. */
  constructor(bytes: Uint8Array, starts: Uint32Array) {
    this.bytes = bytes;
    this.starts = starts;
  }

  find(row: number): void {
    this.from = this.starts[row]!;
    this.to = this.starts[row + 1]!;
  }
}

export class SketchRecords {
  private readonly out: StageSink;
  private readonly here: StagePlace;
  private readonly fields: readonly string[];
  private readonly told = new ToldKeys();
  private readonly read: GatheredRecords;
  private readonly sketches: GatheredRecords;
  private readonly holdsNothing: ReturnType<typeof emptinessOf>;

  constructor(out: StageSink, here: StagePlace) {
    this.fields = fieldsRead(here.manifest.params);
    this.holdsNothing = emptinessOf(here.manifest.params);
    this.out = out;
    this.here = here;
    this.read = new GatheredRecords(KINDS.read, out);
    this.sketches = new GatheredRecords(KINDS.sketch, out);
  }

  /** Writes the documents of a block. `sketches`: null where documents are compared by their tokens alone. */
  documents(block: Read, table: Block, sketches: Sketches | null): void {
    const { columns } = table;
    const values = this.fields.map((_, field) => fieldColumns(table, field));
    const flags = columns.flags as Uint8Array;
    const contentKeys = columns.contentKey as Uint32Array;
    const idOffsets = columns.idOffsets as Uint32Array;
    const ids = columns.idBytes as Uint8Array;
    const [contents, texts] = [bytesOf(contentKeys), bytesOf(columns.textKey as Uint32Array)];
    const { rangeHashes } = this.here.manifest;
    let named = 0;
    for (let row = 0; row < flags.length; row++) {
      const hasId = (flags[row]! & HAS_ID) !== 0;
      const ordinal = ordinalOf(block, columns.record![row]!);
      const head = this.read.add(ids, hasId ? idOffsets[row]! : 0, hasId ? idOffsets[row + 1]! : 0);
      head.raw(contents, CONTENT * row, CONTENT * (row + 1));
      this.writePlace(head, columns, row, block, ordinal);
      this.writeFacts(head, columns, texts, row).u8(hasId ? 1 : 0);
      if (hasId) named++;
      if (columns.occurrences![row]! > rangeHashes) this.here.facts.add(LARGE_SETS, 1);
      if (values.length > 0) {
        const { key, value } = this.out;
        key.kind(KINDS.valued).raw(contents, CONTENT * row, CONTENT * (row + 1));
        this.writePlace(key, columns, row, block, ordinal);
        value.u8((flags[row]! & EMPTY) === 0 ? 0 : 1);
        for (const field of values) appendValue(value, field, row);
        this.out.write();
      }
      if (sketches === null || (flags[row]! & EMPTY) !== 0) continue;
      sketches.find(row);
      const { bytes, from, to } = sketches;
      // Every document without a sketch is counted.
      const isEmpty = this.holdsNothing?.(bytes.subarray(from, to)) === true;
      const unit = columns.unit?.[row] ?? 0;
      if (!this.told.isNew(contentKeys, row, columns.file![row]!, block.start, ordinal, unit) && !isEmpty)
        continue;
      const ofSketch = this.sketches.add(bytes, from, to);
      ofSketch.raw(contents, CONTENT * row, CONTENT * row + CONTENT_HEAD);
      this.writePlace(ofSketch, columns, row, block, ordinal);
    }
    if (named > 0) this.here.facts.add('named documents', named);
  }

  /** Writes the documents and sketches that are held. */
  flush(): void {
    this.read.flush();
    this.sketches.flush();
  }

  skips(block: Read, { columns }: Block): void {
    const offsets = columns.skipIdOffsets as Uint32Array;
    for (let i = 0; i < columns.skipCode!.length; i++) {
      const id = (columns.skipIdBytes as Uint8Array).subarray(offsets[i]!, offsets[i + 1]!);
      this.out.value
        .u8(columns.skipCode![i]!)
        .u8(id.length === 0 ? 0 : 1)
        .raw(id);
      this.skip(columns.skipFile![i]!, block, ordinalOf(block, columns.skipRecord![i]!));
    }
  }

  /** Writes a skip without an id. `isRefused`: the whole file has no documents, in any split. */
  fault(
    block: Pick<CorpusBlock, 'file' | 'start' | 'first'>,
    record: number,
    code: ErrorCode,
    isRefused = false,
  ): void {
    this.out.value.u8(SKIP_CODES.indexOf(code)).u8(isRefused ? REFUSED : 0);
    this.skip(block.file, block, ordinalOf(block, record));
  }

  private skip(file: number, { start }: { readonly start: number }, ordinal: number): void {
    this.out.key.kind(KINDS.skipped).u32(file).u64(start).u32(ordinal);
    this.out.write();
    this.here.facts.add('skipped', 1);
  }

  passed(records: readonly number[]): void {
    const { key, value } = this.out;
    key.kind(KINDS.passed);
    for (const count of records) value.f64(count);
    this.out.write();
  }

  split({ file, start, lines, documents, bytes, unit }: SplitCounts): void {
    this.out.key.kind(KINDS.split).u32(file).u64(start);
    this.out.value.u64(lines).u64(documents).u64(bytes).u64(unit);
    this.out.write();
  }

  private writePlace(
    head: FieldWriter,
    columns: Block['columns'],
    row: number,
    block: Read,
    ordinal: number,
  ): void {
    head.u32(columns.file![row]!).u64(block.start).u32(ordinal);
    if (columns.unit !== undefined) head.u64(columns.unit[row]!);
  }

  private writeFacts(
    head: FieldWriter,
    columns: Block['columns'],
    texts: Uint8Array,
    row: number,
  ): FieldWriter {
    return head
      .u8(columns.flags![row]!)
      .raw(texts, CONTENT * row, CONTENT * (row + 1))
      .f64(columns.occurrences![row]!)
      .f64(columns.textBytes![row]!)
      .f64(columns.tokens![row]!);
  }
}

interface SplitCounts {
  readonly file: number;
  readonly start: number;
  lines: number;
  documents: number;
  bytes: number;
  /** The greatest number of a unit; 0: there is none, or documents are compared. */
  unit: number;
  readonly isRefused: boolean;
}

/** By file, from a table: 1 plus the number of its last record, how many documents it has, and its greatest unit. */
function countedIn({ columns }: Block, files: Iterable<number>) {
  const found = new Map([...files].map((file) => [file, { lines: 1, documents: 0, unit: 0 }]));
  const count = (file: number, record: number, documents: number, unit: number): void => {
    const known = found.get(file)!;
    known.lines = Math.max(known.lines, record + 1);
    known.documents += documents;
    known.unit = Math.max(known.unit, unit);
  };
  columns.file!.forEach((file, row) => {
    count(file, columns.record![row]!, 1, columns.unit?.[row] ?? 0);
  });
  columns.skipFile!.forEach((file, i) => {
    count(file, columns.skipRecord![i]!, 0, 0);
  });
  return found;
}

/** Why the file that begins with this block is refused as binary; null: it is not, or this is not its beginning. */
function binaryCode(block: CorpusBlock, files: CorpusFiles, { params }: StagePlace['manifest']) {
  if (block.start > 0 || block.first > 0 || block.form !== 'lines' || !refusesBinary(params)) return null;
  const isPacked = files.file(block.file).packing !== null;
  const probe = block.bytes.subarray(0, BINARY_PROBE);
  return isPacked ? packedBinaryCodeOf(probe) : binaryCodeOf(probe);
}

function signedBy(feed: DocumentFeed, kernel: Kernel, params: ResultParams, thinning: Thinning | undefined) {
  const { sketch } = signatureParams(params);
  const { documents, bytes, kept } = sketchedDocuments(feed, kernel, params.shingle, sketch, thinning);
  return { documents, bytes, sketches: new HeldSignatures(kept.rows, sketch.hashes) };
}

function sampledBy(feed: DocumentFeed, kernel: Kernel, { shingle }: ResultParams, samples: SampleParams) {
  const { documents, bytes, fingerprints } = fusedFingerprints(feed, kernel, shingle, samples);
  const columns = fingerprintsOf(fingerprints);
  const all = new FieldWriter();
  const starts = new Uint32Array(columns.sampled.length + 1);
  columns.sampled.forEach((sampled, row) => {
    const whole = columns.whole[row] === 1;
    starts[row + 1] = appendSample(all, { values: fingerprintsAt(columns, row), sampled, whole }).size;
  });
  return { documents, bytes, sketches: new WrittenSamples(all.view, starts) };
}

/** The documents of a block with their sketches; null: they are compared by their tokens alone. */
function sketchedBy(
  feed: DocumentFeed,
  kernel: Kernel,
  params: ResultParams,
  thinning: Thinning | undefined,
) {
  if (params.exactDuplicates) return { ...contentKeys(feed, kernel, params.shingle), sketches: null };
  const samples = sampleParams(params);
  return samples === null
    ? signedBy(feed, kernel, params, thinning)
    : sampledBy(feed, kernel, params, samples);
}

/** Counts what the splits of a task hold, one after the other, and writes the counts of each. */
export class OpenSplits {
  private readonly here: StagePlace;
  private readonly files: CorpusFiles;
  private readonly records: SketchRecords;
  private current: SplitCounts | null = null;

  constructor(here: StagePlace, files: CorpusFiles, records: SketchRecords) {
    this.here = here;
    this.files = files;
    this.records = records;
  }

  /** The split of a block, with its lines. A file that begins with the block may be refused. */
  of(block: CorpusBlock): SplitCounts {
    const split = this.isOpen(block) ? this.current! : this.open(block);
    split.lines += block.lines;
    split.bytes += block.bytes.length;
    return split;
  }

  /** Notes that a stream breaks off, or lacks a record: that record counts as a split of its own. */
  fault(block: CorpusBlock, code: ErrorCode): void {
    const { file, start } = block;
    this.records.fault(block, start > 0 || code === 'TOO_LARGE' ? 0 : WHOLE_FILE, code);
    if (this.isOpen(block)) return;
    this.close();
    this.current = { file, start, lines: 1, documents: 0, bytes: 0, unit: 0, isRefused: false };
  }

  close(): void {
    if (this.current !== null) this.records.split(this.current);
    this.current = null;
  }

  private isOpen({ file, start }: CorpusBlock): boolean {
    return this.current?.file === file && this.current.start === start;
  }

  private open(block: CorpusBlock): SplitCounts {
    this.close();
    const { file, start } = block;
    const code = binaryCode(block, this.files, this.here.manifest);
    if (code !== null) this.records.fault(block, WHOLE_FILE, code, true);
    this.current = { file, start, lines: 0, documents: 0, bytes: 0, unit: 0, isRefused: code !== null };
    return this.current;
  }
}

class CorpusSketching {
  private readonly here: StagePlace;
  private readonly records: SketchRecords;
  private readonly files: CorpusFiles;
  private readonly reader: BlockReader;
  private readonly thinning: Thinning | undefined;
  private readonly splits: OpenSplits;

  constructor(out: StageSink, here: StagePlace) {
    const { params } = here.manifest;
    this.here = here;
    this.files = new CorpusFiles(here.manifest);
    this.reader = new BlockReader(here.kernel, this.files, { ...params, fields: fieldsRead(params) });
    this.records = new SketchRecords(out, here);
    this.splits = new OpenSplits(here, this.files, this.records);
    const { sample, seed } = params;
    if (isThinned(params))
      this.thinning = here.kernel.thinning({ sample, seed, eliminated: eliminatedOf(here) });
  }

  run(input: Parameters<StreamStage['map']>[0]): void {
    const { facts, manifest } = this.here;
    const leftOut = (): void => facts.add('rows of other files', 1);
    for (const block of corpusBlocks(input, this.files, manifest.params, leftOut)) {
      if ('part' in block) this.part(block);
      else if (block.fault !== undefined) this.splits.fault(block, block.fault);
      else this.rows(block);
    }
    this.splits.close();
    this.records.flush();
  }

  private rows(block: CorpusBlock): void {
    const split = this.splits.of(block);
    if (split.isRefused) return;
    const { columns } = this.sketch(block).table;
    split.documents += columns.flags!.length;
    for (const unit of columns.unit ?? []) split.unit = Math.max(split.unit, unit);
  }

  /** Reads a split of one file, or whole files, each of which counts as a split. */
  private part(block: PartBlock): void {
    const { split, beside } = block.part;
    const { table, lines: read } = this.sketch(block);
    const { start } = block;
    const { records } = numberingOf(split);
    for (const [file, { lines, documents, unit }] of countedIn(table, filesOfSplit(split, beside)))
      this.records.split({
        ...{ file, start, documents, unit, bytes: 0, isRefused: false },
        lines: isOfFiles(split) ? lines : (records ?? read),
      });
  }

  /** Reads a block and writes its records; returns the table of its documents, and how many lines it has. */
  private sketch(block: Read): { readonly table: Block; readonly lines: number } {
    const { kernel, manifest } = this.here;
    const { params } = manifest;
    let lines = 0;
    const feed: DocumentFeed = (sink) => {
      sink.leaveAlone?.(leastTokensOf(params));
      lines = this.reader.read(block, sink);
    };
    const made = sketchedBy(feed, kernel, params, this.thinning);
    const table = made.documents(lines);
    this.records.documents(block, table, made.sketches);
    this.records.skips(block, table);
    const passed = passedIn(table);
    if (passed.some((records) => records > 0)) this.records.passed(passed);
    const { tooShort, cut } = countsWithoutRow(table);
    if (tooShort > 0) this.here.facts.add('left out', tooShort);
    if (cut > 0) this.here.facts.add('documents cut', cut);
    this.here.facts.add('text bytes', made.bytes);
    this.here.facts.add('documents', table.columns.flags!.length);
    return { table, lines };
  }
}

/** Map: rows -> documents (`read`), sketches, skips, splits. */
export const sketch: StreamStage = {
  kinds: null,
  ...MAP_ONLY,
  map: (input, out, here) => new CorpusSketching(out, here).run(input),
};

/** The wanted documents of a block, as its reader numbers them. */
function wantedIn(block: Read, files: CorpusFiles, bits: RankBits): WantedDocuments {
  const file: number[] = [];
  const record: number[] = [];
  const add = (index: number, of: number, number: number): void => {
    if (!bits.has(files.rankOf(index, files.numbered.numberOf(index, of, 0)))) return;
    file.push(index);
    record.push(number);
  };
  const addRecords = (index: number, from: number, to: number, first: number): void => {
    for (let of = from; of < to; of++) add(index, of, of - from + first);
  };
  if ('part' in block) {
    const { split, beside } = block.part;
    const { records } = numberingOf(split);
    for (const index of filesOfSplit(split, beside)) {
      add(index, WHOLE_RECORD, WHOLE_FILE);
      const [from, to] = files.recordsOf(index, block.start) ?? [0, 0];
      addRecords(index, from, Math.min(to, from + (records ?? to)), -block.first);
    }
  } else if (block.form === 'whole') add(block.file, WHOLE_RECORD, WHOLE_FILE);
  else {
    const from = files.recordOf(block.file, block.start, block.first);
    if (from >= 0) addRecords(block.file, from, from + block.lines, 0);
  }
  return { file: Uint32Array.from(file), record: Float64Array.from(record) };
}

const NO_PLACE = new Uint8Array(0);

/** The second reading of a task: writes the sets of wanted documents. */
class SetRecords implements LargeSetSink {
  private readonly here: StagePlace;
  private readonly out: StageSink;
  private readonly files: CorpusFiles;
  private readonly bits: RankBits;
  private readonly large: LargeSets;
  private block: Read | null = null;
  /** The place of the document that streams, where its set is split. */
  private place: Uint8Array = NO_PLACE;
  /** Split sets of documents that began in this block; one that is not found as it was changed. */
  private readonly begun = new Set<LargeSet>();

  constructor(out: StageSink, here: StagePlace, files: CorpusFiles) {
    this.here = here;
    this.out = out;
    this.files = files;
    this.bits = RankBits.from(here, WANTED)!;
    this.large = LargeSets.from(here);
  }

  read(block: Read, reader: BlockReader): void {
    const { here, out, bits, files } = this;
    const { params } = here.manifest;
    const documents = wantedIn(block, files, bits);
    if (documents.file.length === 0) return;
    this.block = block;
    const feed = (sink: Parameters<BlockReader['read']>[1]): void => void reader.read(block, sink);
    const hasUnit = (file: number, record: number, unit: number): boolean =>
      bits.has(files.rankOf(file, this.numberOf(file, record, unit)));
    const wanted = params.unit === 'document' ? documents : { ...documents, hasUnit };
    const { table, offsets, hashes } = collectHashes(feed, here.kernel, params.shingle, wanted, this);
    const bytes = new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength);
    const contents = bytesOf(table.contentKey as Uint32Array);
    for (let i = 0; i < table.record.length; i++) {
      const file = table.file[i]!;
      const number = this.numberOf(file, table.record[i]!, table.unit?.[i] ?? 0);
      const content = contents.subarray(CONTENT * i, CONTENT * i + CONTENT_HEAD);
      const large = this.large.of(file, number);
      if (large !== undefined) {
        const expected = large.place.subarray(PLACE - CONTENT_HEAD);
        if (sharesPrefix(content, expected, CONTENT_HEAD)) this.begun.delete(large);
        continue;
      }
      // A wanted document had shingles in the first reading; this one has none, so it changed.
      if (offsets[i] === offsets[i + 1]) continue;
      out.key.kind(KINDS.set).u32(file).u64(number).raw(content);
      putHashes(out, out.key, bytes.subarray(8 * offsets[i]!, 8 * offsets[i + 1]!));
      here.facts.add('sets', 1);
      here.facts.add(SET_HASHES, offsets[i + 1]! - offsets[i]!);
    }
    // Their sets are written: those of pairs that become void.
    for (const { place } of this.begun) {
      here.facts.add(WITHOUT_SET, 1);
      out.key.kind(KINDS.changed).raw(place);
      out.write();
    }
    this.begun.clear();
  }

  begin(file: number, record: number, unit: number): number {
    const number = this.numberOf(file, record, unit);
    const large = this.large.of(file, number);
    if (large === undefined) return 1;
    this.place = large.place;
    this.begun.add(large);
    const ranges = 2 ** large.bits;
    // Every range is there, also one without a hash.
    for (let range = 0; range < ranges; range++) this.put(range, NO_HASH);
    this.here.facts.add('sets', 1);
    return ranges;
  }

  piece(range: number, hashes: Uint32Array): void {
    this.put(range, new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength));
    this.here.facts.add(SET_HASHES, hashes.length / 2);
  }

  private put(range: number, bytes: Uint8Array): void {
    this.out.key.kind(KINDS.set).raw(this.place).u16(range);
    this.out.write(bytes);
  }

  private numberOf(file: number, record: number, unit: number): number {
    const { start } = this.block!;
    const { files } = this;
    return files.numbered.numberOf(file, files.recordOf(file, start, ordinalOf(this.block!, record)), unit);
  }
}

/** Map, the second reading: rows -> shingle sets of the wanted documents. */
export const sets: StreamStage = {
  kinds: null,
  ...MAP_ONLY,
  map(input, out, here) {
    const { params } = here.manifest;
    const files = new CorpusFiles(here.manifest);
    const reader = new BlockReader(here.kernel, files, params);
    const records = new SetRecords(out, here, files);
    for (const block of corpusBlocks(input, files, params, () => {})) {
      // The stage that misses its sets reports that the file is gone.
      if (!('fault' in block && block.fault !== undefined)) records.read(block, reader);
    }
  },
};
