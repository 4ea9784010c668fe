/** Looks up texts in an index, for the command and for queries of the library. */
import type { Problem } from '../../errors.js';
import { openedIndex } from '../../index/indexFolder.js';
import { readIndexManifest } from '../../index/indexManifest.js';
import { lookUp, lookupRule } from '../../index/lookups.js';
import { QUERY_OPTIONS, type QueryOptions } from '../../options/queryOptions.js';
import { containmentOf } from '../../sketch/similarity.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import type { QueryAnswer } from '../query/query.js';
import { checkBesideIndex } from './indexOptions.js';
import { IndexSources } from './indexSources.js';
import { answerOf } from './openIndex.js';
import { TextSketches } from './textSketches.js';

/** An answer from an index. */
export interface PortionAnswer extends QueryAnswer {
  /** The portion that the document was added with. */
  readonly portion: string;
}

/** The problems of options of a query over an index. */
export function queryProblems(folder: string, options: QueryOptions): Problem[] {
  const { parameters } = readIndexManifest(folder);
  const problems: Problem[] = [];
  const say = (detail: string): unknown => problems.push({ code: 'INDEX_REFUSED', detail });
  const { method = QUERY_OPTIONS.method.default, threshold, distinct, explain } = options;
  if (method !== 'resemblance')
    say(
      `--method ${method}: an index answers by resemblance; name the files of the documents for other methods`,
    );
  if (distinct === true || explain === true)
    say(
      `--${distinct === true ? 'distinct' : 'explain'}: expected with files and directories, which have the texts`,
    );
  if (threshold !== undefined && !(threshold >= parameters.threshold))
    say(`--threshold ${threshold}: expected at least that of the index, ${parameters.threshold}`);
  const shared = Object.fromEntries(Object.entries(options).filter(([name]) => !(name in QUERY_OPTIONS)));
  return [...problems, ...checkBesideIndex(shared, parameters, folder).problems];
}

export interface IndexRead {
  /** Documents in the index. */
  readonly documents: number;
  /** Bases without tokens. */
  readonly barren: number[];
  /** Bases with a bucket that has more members than are compared. */
  capped: number;
  /** A sentence about candidates whose sources are gone or changed; null: all were verified. */
  unverified: string | null;
}

/**
 * The documents of an index that resemble bases: those of the first base, best first, then of the next.
 *
 * @throws MinHashError INDEX_DAMAGED with the file
 */
export async function* queryIndex(
  bases: readonly Uint8Array[],
  folder: string,
  { top = QUERY_OPTIONS.top.default, threshold }: QueryOptions,
  read: (counts: IndexRead) => void = () => {},
): AsyncGenerator<PortionAnswer, void, undefined> {
  const kernel = await kernelHere();
  const index = openedIndex(folder);
  const sources = new IndexSources(index, kernel);
  try {
    const { parameters } = index.manifest;
    const sketches = new TextSketches(kernel, parameters);
    const rule = lookupRule(parameters, threshold);
    const counts: IndexRead = { documents: index.documents, barren: [], capped: 0, unverified: null };
    for (const [base, text] of bases.entries()) {
      const document = sketches.sketch(text);
      if (document === null) {
        counts.barren.push(base);
        continue;
      }
      const { hits, isCapped } = await sources.through(() => lookUp(index.segments, document, rule));
      if (isCapped) counts.capped++;
      for (const [i, hit] of (top === 'all' ? hits : hits.slice(0, top)).entries()) {
        const { document: id, location: place, portion, jaccard: resemblance } = answerOf(index, hit);
        const [size, other] = [document.set().length / 2, hit.segment.record(hit.row).setCount];
        const common = Math.round((resemblance * (size + other)) / (1 + resemblance));
        const values = {
          resemblance,
          base_in_document: containmentOf(common, size),
          document_in_base: containmentOf(common, other),
        };
        yield { base, rank: i + 1, document: id, place, portion, values };
      }
    }
    counts.unverified = sources.warning();
    read(counts);
  } finally {
    sources.close();
    index.close();
  }
}
