/**
 * Pairs of documents of a corpus at several similarities, with their texts, from which a person chooses a threshold.
 *
 * The documents are sampled as for an estimate (drawnUnits.ts), up to some tens of megabytes of text, and compared as
 * in a run.
 */
import { type DuplicatePair, findDuplicates } from '../../coordinator/inMemory.js';
import { checkOptions, type RunOptions } from '../../options/check.js';
import { keysAlsoIn } from '../../options/table.js';
import { readBuffers } from '../../readers/documentSink.js';
import { JoinedTexts } from '../../readers/find.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { listInputs } from '../../readers/list/inputs.js';
import { binaryOfBytes, idText } from '../../readers/list/pathIds.js';
import { UnitDraw } from './drawnUnits.js';

/**
 * Two documents with their exact Jaccard similarity. Documents are identified by the path of the file and the id, if
 * there is one.
 */
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
  const texts = new TextSample(inputs.files);
  const draw = new UnitDraw(inputs.files, params, new FormatReading(params, texts, readBuffers()));
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
  return {
    documents: documents.length,
    whole: draw.isDone && !texts.isFull,
    levels: LEVELS.map((similarity) => ({
      similarity,
      pairs: nearest(near, similarity, used).map(({ a, b, jaccard }) => ({
        ...{ a: texts.labels[Number(a)]!, b: texts.labels[Number(b)]!, jaccard },
        ...{ textA: texts.texts[Number(a)]!, textB: texts.texts[Number(b)]! },
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

/** Collects texts until there are enough. */
class TextSample extends JoinedTexts {
  readonly texts: Uint8Array[] = [];
  readonly labels: string[] = [];
  private bytes = 0;
  private label = '';

  constructor(files: FileTable) {
    super(files);
  }

  get isFull(): boolean {
    return this.bytes >= MOST_BYTES || this.texts.length >= MOST_DOCUMENTS;
  }

  begin(file: number, _record: number, id: Uint8Array | null): boolean {
    if (this.isFull) return false;
    const path = idText(this.files.id(file));
    this.label = id === null ? path : `${idText(binaryOfBytes(id))} in ${path}`;
    return true;
  }

  protected override joined(text: Uint8Array): void {
    if (text.length === 0 || text.length > LONGEST) return;
    this.texts.push(text.slice());
    this.labels.push(this.label);
    this.bytes += text.length;
  }
}
