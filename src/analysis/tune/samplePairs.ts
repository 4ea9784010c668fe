/**
 * Pairs of documents of a corpus at several similarities, with their texts, from which a person chooses a threshold.
 *
 * The documents are sampled as for an estimate (drawnUnits.ts), up to some tens of megabytes of text, and compared as
 * in a run.
 */
import { type DuplicatePair, findDuplicates } from '../../coordinator/inMemory.js';
import { checkOptions, type RunOptions } from '../../options/check.js';
import { keysAlsoIn } from '../../options/table.js';
import { LineCounter } from '../../readers/bytes/lineCounter.js';
import { readBuffers } from '../../readers/documentSink.js';
import { JoinedTexts } from '../../readers/find.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { listInputs } from '../../readers/list/inputs.js';
import { idText } from '../../readers/list/pathIds.js';
import { type DrawnPosition, UnitDraw } from './drawnUnits.js';

/** Two documents, by their locations, with their exact Jaccard similarity. */
export interface SamplePair {
  readonly a: string;
  readonly b: string;
  readonly jaccard: number;
  readonly textA: Uint8Array;
  readonly textB: Uint8Array;
}

/** The pairs near a similarity; empty if the sample has none. */
export interface PairsNear {
  readonly similarity: number;
  readonly pairs: readonly SamplePair[];
}

export interface SamplePairs {
  /** Documents that were compared. */
  readonly documents: number;
  /** Whether the sample is the whole corpus. */
  readonly whole: boolean;
  readonly levels: readonly PairsNear[];
}

const LEVELS: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9];
const PAIRS_PER_LEVEL = 3;
/** A pair is near a similarity up to this distance from it. */
const NEAR = 0.05;
const MOST_BYTES = 64e6;
const MOST_DOCUMENTS = 100_000;
/** Longer texts are skipped: nobody reads them, and a few would fill the sample. */
const LONGEST = 1e6;

/** Options of a run that affect pairs or sketch texts, and that are set here. */
const CHOSEN: readonly string[] = [
  'threshold',
  'bands',
  'rows',
  'recall',
  'agree',
  'verify',
  'exactDuplicates',
  'measure',
  'cluster',
];

/**
 * Returns pairs near 0.5, 0.6, 0.7, 0.8 and 0.9, at most three each, preferring documents that are not shown yet.
 *
 * @param options PATHs, and how they are read and compared, as for `run`
 * @throws MinHashError OPTION_INVALID, NO_INPUT, PATH_MISSING
 */
export async function samplePairs(options: RunOptions): Promise<SamplePairs> {
  const { params, execution } = checkOptions(options).resolved;
  const inputs = await listInputs({ paths: execution.paths, outFolder: null, params });
  const position: DrawnPosition = { firstLine: 0, windowFrom: 0 };
  const texts = new TextSample(inputs.files, position);
  const draw = new UnitDraw(inputs.files, params, new FormatReading(params, texts, readBuffers()), position);
  while (!texts.isFull && (await draw.next(() => {})) !== null);
  await draw.close();
  const shared = Object.fromEntries(
    keysAlsoIn('memory')
      .filter((key) => !CHOSEN.includes(key) && options[key] !== undefined)
      .map((key) => [key, options[key]]),
  );
  const documents = texts.texts.map((text, i) => ({ id: String(i), text }));
  const { pairs } = await findDuplicates(documents, {
    ...shared,
    keep: 'first',
    threshold: LEVELS[0]! - NEAR,
  });
  const near = pairs.filter(({ kind }) => kind === 'near');
  const used = new Set<string>();
  const levels = LEVELS.map((similarity) => ({ similarity, pairs: nearest(near, similarity, used) }));
  const locations = texts.locations(levels.flatMap(({ pairs }) => pairs.flatMap(({ a, b }) => [+a, +b])));
  inputs.files.close();
  return {
    documents: documents.length,
    whole: draw.isDone && !texts.isFull,
    levels: levels.map(({ similarity, pairs }) => ({
      similarity,
      pairs: pairs.map(({ a, b, jaccard }) => ({
        ...{ a: locations.get(+a)!, b: locations.get(+b)!, jaccard },
        ...{ textA: texts.texts[+a]!, textB: texts.texts[+b]! },
      })),
    })),
  };
}

/** The pairs nearest to a similarity, first those of documents that were not shown yet. */
function nearest(pairs: readonly DuplicatePair[], similarity: number, used: Set<string>): DuplicatePair[] {
  const distance = ({ jaccard }: DuplicatePair): number => Math.abs(jaccard - similarity);
  const chosen: DuplicatePair[] = [];
  const sorted = pairs.filter((pair) => distance(pair) <= NEAR).sort((x, y) => distance(x) - distance(y));
  for (const pair of sorted) {
    if (chosen.length === PAIRS_PER_LEVEL) break;
    if (used.has(pair.a) || used.has(pair.b)) continue;
    used.add(pair.a).add(pair.b);
    chosen.push(pair);
  }
  for (const pair of sorted) if (chosen.length < PAIRS_PER_LEVEL && !chosen.includes(pair)) chosen.push(pair);
  return chosen.sort((x, y) => x.jaccard - y.jaccard);
}

/** The place of a text in its file, as readers number it. */
interface RecordPlace extends Readonly<DrawnPosition> {
  readonly file: number;
  readonly record: number;
}

/** Collects texts until there are enough. */
class TextSample extends JoinedTexts {
  readonly texts: Uint8Array[] = [];
  readonly #records: RecordPlace[] = [];
  readonly #position: DrawnPosition;
  #bytes = 0;
  #record: RecordPlace | null = null;

  constructor(files: FileTable, position: DrawnPosition) {
    super(files);
    this.#position = position;
  }

  get isFull(): boolean {
    return this.#bytes >= MOST_BYTES || this.texts.length >= MOST_DOCUMENTS;
  }

  begin(file: number, record: number): boolean {
    if (this.isFull) return false;
    this.#record = { file, record, ...this.#position };
    return true;
  }

  protected override joined(text: Uint8Array): void {
    if (text.length === 0 || text.length > LONGEST) return;
    this.texts.push(text.slice());
    this.#records.push(this.#record!);
    this.#bytes += text.length;
  }

  /** The locations of some texts. Lines before a window are counted, once for each file. */
  locations(numbers: readonly number[]): ReadonlyMap<number, string> {
    const locations = new Map<number, string>();
    const counters = new Map<number, LineCounter>();
    const inOrder = [...numbers].sort((x, y) => this.#records[x]!.windowFrom - this.#records[y]!.windowFrom);
    for (const number of inOrder) {
      const { file, record, firstLine, windowFrom } = this.#records[number]!;
      const counter = counters.get(file) ?? new LineCounter(this.files.file(file).path);
      if (windowFrom > 0) counters.set(file, counter);
      const line = windowFrom === 0 ? firstLine : counter.linesBefore(windowFrom);
      locations.set(number, idText(this.files.address(file, record, line)));
    }
    for (const counter of counters.values()) counter.close();
    return locations;
  }
}
