/**
 * Pairs whose sets are too large to be held together: the hashes of each document are scattered into a file once,
 * and compared range by range; sizes add up to those of the whole sets.
 */
import { MOST_RANGES } from '../../../mappers/shingleSets.js';
import { addSizes, type SetSizes } from '../../../reducers/exactPairs.js';
import type { Pairs } from '../../blocks/pairs.js';
import { containmentOf, resemblanceOf } from '../../sketch/similarity.js';
import { removeRangeFile } from '../../store/rangeFile.js';
import type { Run } from '../context.js';
import { documentsOf } from './groups.js';
import type { ScatteredDocument } from './reread.js';
import type { SetSource } from './tileSets.js';

/** Bytes of a range of one document, about: two of them, and the numbers of their hashes, take a part of the kernel's usual memory. */
const BYTES_A_RANGE = 4 << 20;
/** Ranges that one task compares: so many that the time to open the files does not matter. */
const RANGES_A_TASK = 8;

/** A pair with its evidence. */
interface RangedEvidence {
  readonly row: number;
  readonly jaccard: number;
  readonly containmentAB: number;
  readonly containmentBA: number;
}

/** Some ranges of a row. */
interface Part {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

export class RangedPairs {
  private readonly run: Run;
  private readonly reader: Pick<SetSource, 'hashesOf' | 'scatter'>;
  private readonly folder: string;
  private readonly rangeBytes: number;

  /** `folder`: for the files of hashes; they are removed when the pairs are compared. */
  constructor(
    run: Run,
    reader: Pick<SetSource, 'hashesOf' | 'scatter'>,
    folder: string,
    rangeBytes = Math.min(BYTES_A_RANGE, run.budget.task / 4),
  ) {
    this.run = run;
    this.reader = reader;
    this.folder = folder;
    this.rangeBytes = rangeBytes;
  }

  /**
   * Compares rows, in their order; calls `note` for every document with whether it has changed. Rows with a changed
   * document are left out.
   */
  async *compare(
    pairs: Pairs,
    rows: Uint32Array,
    note: (scattered: ScatteredDocument) => void,
  ): AsyncGenerator<RangedEvidence> {
    const documents = await this.run.turns.through(documentsOf(pairs, rows));
    const ranges = this.rangesFor(documents);
    const files = new Map<number, ScatteredDocument>();
    try {
      let done = 0;
      for await (const one of this.reader.scatter(documents, ranges, this.folder)) {
        note(one);
        one.documents.forEach((document, i) => {
          if (one.name !== null && one.unchanged[i] === 1) files.set(document, one);
          else this.remove(one);
        });
        done += one.documents.length;
        this.run.progress(done, documents.length, 'documents', one.bytes);
      }
      yield* this.compareScattered(pairs, rows, ranges, files);
    } finally {
      for (const one of files.values()) this.remove(one);
    }
  }

  /** A power of two, so that a range of the largest document is about as large as it may be. */
  private rangesFor(documents: Uint32Array): number {
    let most = 0;
    for (const document of documents) most = Math.max(most, 8 * this.reader.hashesOf(document));
    let ranges = 1;
    while (ranges < MOST_RANGES && most / ranges > this.rangeBytes) ranges *= 2;
    return ranges;
  }

  private async *compareScattered(
    { a, b }: Pairs,
    rows: Uint32Array,
    ranges: number,
    files: ReadonlyMap<number, ScatteredDocument>,
  ): AsyncGenerator<RangedEvidence> {
    const left = rows.filter((row) => files.has(a[row]!) && files.has(b[row]!));
    let sizes: SetSizes = { a: 0, b: 0, common: 0 };
    const results = this.run.each(partsOf(left, ranges), async (part) => {
      const found = await this.comparePart(files.get(a[part.row]!)!, files.get(b[part.row]!)!, part);
      return { part, found };
    });
    for await (const { part, found } of results) {
      sizes = addSizes(sizes, found);
      if (part.to < ranges) continue;
      yield {
        row: part.row,
        jaccard: resemblanceOf(sizes.common, sizes.a, sizes.b),
        containmentAB: containmentOf(sizes.common, sizes.a),
        containmentBA: containmentOf(sizes.common, sizes.b),
      };
      sizes = { a: 0, b: 0, common: 0 };
    }
  }

  private async comparePart(
    a: ScatteredDocument,
    b: ScatteredDocument,
    { from, to }: Part,
  ): Promise<SetSizes> {
    const placeOf = ({ path, name }: ScatteredDocument) => ({ path, pieces: name! });
    const { report } = await this.run.task({
      kind: 'ranged',
      label: `hash ranges ${from}..${to} of a pair of large documents`,
      params: { a: placeOf(a), b: placeOf(b), from, to },
      inputs: [a.name!, b.name!],
    });
    return report;
  }

  private remove({ name, path }: ScatteredDocument): void {
    if (name === null) return;
    this.run.engine.store.delete(name);
    removeRangeFile(path);
  }
}

function* partsOf(rows: Uint32Array, ranges: number): Generator<Part> {
  for (const row of rows) {
    for (let from = 0; from < ranges; from += RANGES_A_TASK) {
      yield { row, from, to: Math.min(ranges, from + RANGES_A_TASK) };
    }
  }
}
