/**
 * Stages that read lines `set, element`: the elements of a set come together, and it becomes a document.
 *
 *      lines --rows--> entry --gathered--> read, sketch, elements    a set stands where its first row does
 *                                     `--elements--> set             those of wanted sets: what documents are read again for
 *
 * The Reduce of `gathered` holds ENTRIES rows, in bags fewer whose elements are COPIES, and where sets are verified the elements of one set, 8 bytes each.
 */

import { setTiles } from '../../../../reducers/setTiles.js';
import { ByteColumn, Float64Column, Uint32Column } from '../../../arrays/growable.js';
import { EMPTY, HAS_ID, REPAIRED } from '../../../blocks/documents.js';
import { type RowSink, TiledSets } from '../../../blocks/sets.js';
import { type ErrorCode, SKIP_CODES } from '../../../errors.js';
import { setFieldsOf } from '../../../readers/formats/setLines.js';
import type { InputFile } from '../../../readers/list/fileList.js';
import { SetLineReader } from '../../../readers/reader.js';
import { chunkSplit, lineBytes, linesBlock } from '../../../readers/split.js';
import {
  isSample,
  type ResultParams,
  rowRuleOf,
  shingleSampleParams,
  signatureParams,
} from '../../../sketch/params.js';
import { createSampleBuilder } from '../../../sketch/samples/fingerprintSamples.js';
import {
  addKeys,
  contributionOf,
  copiesOf,
  hasWeights,
  NOTHING,
  type RowRule,
} from '../../../text/elements.js';
import { type CorpusBlock, corpusBlocks } from '../../stream/corpusBlocks.js';
import { CorpusFiles } from '../../stream/corpusFiles.js';
import { GatheredRecords } from '../../stream/gatheredRecords.js';
import { CONTENT, CONTENT_HEAD, KIND, KINDS, SPLIT } from '../../stream/kinds.js';
import { LARGE_SETS, LargeSets, putHashes, SET_HASHES } from '../../stream/largeSets.js';
import { RankBits, WANTED } from '../../stream/rankBits.js';
import {
  compareKeys,
  endedAt,
  FieldWriter,
  f64At,
  type RecordSource,
  type StageSink,
  u32At,
} from '../../stream/records.js';
import { appendSample } from '../../stream/sampleRecords.js';
import { MAP_ONLY, mapOf, type StagePlace, type StreamStage, withoutKind } from '../../stream/stage.js';
import { RankedPlaces } from './namingStages.js';
import { OpenSplits, SketchRecords } from './readingStages.js';

/** Bytes of a hash, and of where a row stands: its split, and its number among the rows of it. */
const HASH = 8;
const ROW_PLACE = SPLIT + 4;
/** `--max-document` counts an element of a set as so many bytes. */
const ELEMENT_BYTES = 8;

class Entries implements RowSink {
  private rows = 0;
  private readonly here: StagePlace;
  private readonly out: StageSink;
  private readonly records: SketchRecords;
  private block = { file: 0, start: 0, first: 0 };

  constructor(out: StageSink, here: StagePlace, records: SketchRecords) {
    this.here = here;
    this.out = out;
    this.records = records;
  }

  /** The rows of the block come next. */
  of({ file, start, first }: Entries['block']): this {
    // Blocks of a split follow one another.
    if (file !== this.block.file || start !== this.block.start || first <= 0) this.rows = 0;
    this.block = { file, start, first };
    return this;
  }

  row(
    bytes: Uint8Array,
    setFrom: number,
    setTo: number,
    _elementFrom: number,
    _elementTo: number,
    weight: number,
    hashes: Uint32Array,
    at: number,
  ): null {
    const { out, block } = this;
    const { params } = this.here.manifest;
    out.key
      .kind(KINDS.entry)
      .u32(hashes[at]!)
      .u32(hashes[at + 1]!);
    out.key.ended(bytes.subarray(setFrom, setTo));
    out.key.u32(hashes[at + 2]!).u32(hashes[at + 3]!);
    out.value
      .u32(block.file)
      .u64(block.start)
      .u32(this.rows++);
    out.value.f64(contributionOf(rowRuleOf(params), weight, params.sets?.likedFrom ?? 0));
    out.write();
    return null;
  }

  skip(_file: number, record: number, code: ErrorCode): void {
    this.records.fault(this.block, record, code);
  }
}

/** Reads the lines that an engine gives. Their fields have numbers, for no first line says which they are. */
function readRows(
  { file: index, start, first, bytes }: CorpusBlock,
  file: InputFile,
  reader: SetLineReader,
  params: ResultParams,
  sink: RowSink,
): void {
  const fields = setFieldsOf(params.sets!, file.id, () => bytes, params.separator)!;
  const split = chunkSplit(file, index, { firstLine: start === 0 && first === 0 ? 0 : 1 });
  reader.read(split, linesBlock(bytes, false), params, fields, rowRuleOf(params), sink, params.seed);
}

/** Map: lines of sets -> their rows, skips, splits. */
export const rows: StreamStage = {
  kinds: null,
  ...MAP_ONLY,
  map(input, out, here) {
    const { manifest, facts } = here;
    const files = new CorpusFiles(manifest);
    const records = new SketchRecords(out, here);
    const entries = new Entries(out, here, records);
    const splits = new OpenSplits(here, files, records);
    const reader = new SetLineReader(here.kernel);
    for (const block of corpusBlocks(input, files, manifest.params, () => {})) {
      if (!('part' in block)) {
        if (block.fault !== undefined) splits.fault(block, block.fault);
        else if (!splits.of(block).isRefused) {
          facts.add('text bytes', block.bytes.length);
          readRows(block, files.file(block.file), reader, manifest.params, entries.of(block));
        }
        continue;
      }
      const { split, beside, rows: feed } = block.part;
      if (feed === undefined || !('index' in split)) throw new Error('a split without rows: our own defect');
      const { lines } = feed(entries.of({ ...block, file: split.index }));
      records.split({
        ...{ file: split.index, start: block.start, lines, documents: 0, bytes: 0, unit: 0 },
        isRefused: false,
      });
      facts.add(
        'text bytes',
        lineBytes(split, () => beside!),
      );
    }
    splits.close();
  },
};

/**
 * Sets and rows that are brought together at a time, and elements that they may make in bags; a set of more comes in parts. More sets would
 * outlive a young heap.
 */
const SETS = 2048;
const ENTRIES = 65_536;
const COPIES = 1 << 20;

/** A set whose rows come now. */
class OpenSet {
  /** The sum of the keys of its parts. */
  readonly contentKey = new Uint32Array(4);
  size = 0;
  isCut = false;
  readonly name: Uint8Array;
  readonly place: Uint8Array;
  /** Its sketch has some of its elements. */
  isBegun = false;

  constructor(name: Uint8Array, place: Uint8Array) {
    this.name = name.slice();
    this.place = place.slice();
  }
}

/** Sketches one set after the other, as records have sketches. */
interface SetSketches {
  begin(): void;
  /** Adds labelled elements of the set, which may be changed. */
  push(hashes: Uint32Array, count: number): void;
  /** The sketch of the set; valid until the next begins. */
  finish(): Uint8Array;
}

function setSketches({ manifest: { params }, kernel }: StagePlace): SetSketches | null {
  if (params.exactDuplicates) return null;
  if (isSample(params.sketch)) {
    const builder = createSampleBuilder(shingleSampleParams(params));
    const value = new FieldWriter();
    return {
      begin: () => builder.begin(),
      push: (hashes, count) => builder.push(hashes, count),
      finish: () => appendSample(value.reset(), builder.finish()).view,
    };
  }
  const { sketch } = signatureParams(params);
  const { sample, seed } = params;
  const sketcher = kernel.sketcher(sketch);
  const thinning = sample > 1 ? kernel.thinning({ sample, seed, eliminated: new Uint32Array(0) }) : null;
  const signature = new Uint32Array(sketcher.stride);
  return {
    begin: () => sketcher.clear(signature),
    push: (hashes, count) => sketcher.update(signature, hashes, thinning?.keep(hashes, count) ?? count),
    finish: () => new Uint8Array(signature.buffer, 0, 4 * sketch.hashes),
  };
}

/** Makes documents of sets, from rows that come set by set and element by element. */
class GatheredSets {
  private open: OpenSet[] = [];
  private readonly sets = new Uint32Column();
  private readonly elements = new Uint32Column();
  private readonly weights = new Float64Column();
  /** The most elements that these rows make. */
  private copies = 0;
  private readonly last = new FieldWriter();
  private readonly out: StageSink;
  private readonly here: StagePlace;
  /** Null: sets are compared by their elements alone. */
  private readonly sketches: SetSketches | null;
  private readonly documents: GatheredRecords;
  private readonly sketched: GatheredRecords;
  /** Elements of the set that is sketched. */
  private readonly sketchedElements = new ByteColumn();
  private readonly most: number;
  private readonly rule: RowRule;

  constructor(out: StageSink, here: StagePlace) {
    this.out = out;
    this.here = here;
    this.rule = rowRuleOf(here.manifest.params);
    this.sketches = setSketches(here);
    this.documents = new GatheredRecords(KINDS.read, out);
    this.sketched = new GatheredRecords(KINDS.sketch, out);
    this.most = Math.floor(here.manifest.params.maxDocument / ELEMENT_BYTES);
  }

  add({ key, value }: RecordSource): void {
    const nameEnd = key.length - HASH;
    const isSame =
      this.open.length > 0 &&
      compareKeys(key.subarray(0, nameEnd), this.last.view.subarray(0, this.last.view.length - HASH)) === 0;
    const isFull =
      (this.elements.length >= 2 * ENTRIES || this.copies >= COPIES) &&
      compareKeys(key, this.last.view) !== 0;
    if (isFull || (!isSame && this.open.length === SETS)) this.flush(isSame);
    this.last.reset().raw(key);
    const place = value.subarray(0, ROW_PLACE);
    if (!isSame) this.open.push(new OpenSet(endedAt(key, HASH).bytes, place));
    const own = this.open.at(-1)!;
    if (compareKeys(place, own.place) < 0) own.place.set(place);
    const contribution = f64At(value, ROW_PLACE);
    if (contribution === NOTHING) return;
    this.sets.push(this.open.length - 1);
    this.elements.push(u32At(key, nameEnd));
    this.elements.push(u32At(key, nameEnd + 4));
    this.weights.push(contribution);
    this.copies += copiesOf(this.rule, contribution);
  }

  /** Ends all sets. */
  end(): void {
    this.flush(false);
    this.documents.flush();
    this.sketched.flush();
  }

  /** Ends the sets of which all rows came. `goesOn`: more rows of the last one come. */
  private flush(goesOn: boolean): void {
    const { open, here, sketches, rule } = this;
    const { params } = here.manifest;
    const split = {
      sets: this.sets.view,
      elements: this.elements.view,
      ...(hasWeights(rule) && { weights: this.weights.view }),
      documents: Uint32Array.from(open.keys()),
    };
    const { blocks, facts } = setTiles([split], open.length, rule, params.seed, here.kernel);
    const { documents, sizes, keys, isCut } = facts.columns;
    for (let i = 0; i < documents!.length; i++) {
      const set = open[documents![i]!]!;
      set.size += sizes![i]!;
      addKeys(set.contentKey, 0, keys as Uint32Array, 4 * i);
      set.isCut ||= isCut![i] === 1;
    }
    const tiles = new TiledSets([...blocks.values()], here.kernel.setLabels(params.seed));
    const ended = goesOn ? open.length - 1 : open.length;
    open.forEach((set, column) => {
      if (sketches !== null && set.size <= this.most) {
        if (!set.isBegun) {
          sketches.begin();
          this.sketchedElements.truncate(0);
        }
        set.isBegun = true;
        tiles.rowsOf(column, (hashes, count) => {
          if (params.verify === 'exact')
            this.sketchedElements.append(new Uint8Array(hashes.buffer, hashes.byteOffset, HASH * count));
          sketches.push(hashes, count);
        });
      }
      if (column < ended) this.write(set);
    });
    this.open = open.slice(ended);
    for (const column of [this.sets, this.elements, this.weights]) column.truncate(0);
    this.copies = 0;
  }

  private write(set: OpenSet): void {
    const { out, here, sketches, sketchedElements } = this;
    const { contentKey, size, place, name, isCut } = set;
    if (size > this.most) {
      out.key.kind(KINDS.skipped).raw(place);
      out.value.u8(SKIP_CODES.indexOf('SETS_TOO_LARGE')).u8(1).raw(name);
      out.write();
      here.facts.add('skipped', 1);
      return;
    }
    here.facts.add('documents', 1);
    if (size > here.manifest.rangeHashes) here.facts.add(LARGE_SETS, 1);
    const content = new Uint8Array(contentKey.buffer, 0, CONTENT);
    const head = this.documents.add(name, 0, name.length).raw(content).raw(place);
    head.u8(HAS_ID | (size === 0 ? EMPTY : 0) | (isCut ? REPAIRED : 0));
    // A set has no text, in which equal ones could differ.
    head.raw(NO_TEXT).f64(size).f64(0).f64(size).u8(1);
    if (size === 0 || sketches === null) return;
    const sketch = sketches.finish();
    this.sketched.add(sketch, 0, sketch.length).raw(content, 0, CONTENT_HEAD).raw(place);
    if (sketchedElements.length === 0) return;
    out.key.kind(KINDS.elements).raw(content).raw(place);
    out.write(sketchedElements.view);
  }
}

const NO_TEXT = new Uint8Array(CONTENT);

/** The rows of sets -> sets as documents. */
export const gathered: StreamStage = {
  ...mapOf({ [KINDS.entry]: withoutKind }),
  shuffles: ['set', 'element'],
  prefix: HASH,
  reduce(input, out, here) {
    const sets = new GatheredSets(out, here);
    while (input.next()) sets.add(input);
    sets.end();
  },
};

/** Map, in the place of a second reading: the elements of wanted sets -> shingle sets. */
export const elements: StreamStage = {
  kinds: [KINDS.elements],
  ...MAP_ONLY,
  map(input, out, here) {
    const places = new RankedPlaces(here.manifest);
    const wanted = RankBits.from(here, WANTED)!;
    const large = LargeSets.from(here);
    while (input.next()) {
      const { key, value } = input;
      const rank = places.rankOf(key);
      if (rank < 0 || !wanted.has(rank)) continue;
      const bits = large.of(u32At(key, KIND + CONTENT), places.numberOf(key))?.bits;
      putHashes(out, places.putPlace(key, out.key.kind(KINDS.set)), value, bits);
      here.facts.add('sets', 1);
      here.facts.add(SET_HASHES, value.length / HASH);
    }
  },
};
