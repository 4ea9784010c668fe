/** The filter of the library: documents in, and for each of them, immediately, whether it resembles an earlier one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MinHashError, type Problem } from '../../errors.js';
import { callWith } from '../../options/values.js';
import { checkDocuments, givenValues, type Values } from '../../readers/formats/givenDocuments.js';
import {
  DocumentPacker,
  type GivenDocument,
  memoryDocuments,
} from '../../readers/formats/memoryDocuments.js';
import { RecordTexts } from '../../readers/formats/web/pages.js';
import { binaryOfBytes, idOfBytes } from '../../readers/list/pathIds.js';
import type { PairKind } from '../../result/readResult.js';
import type { ResultParams } from '../../sketch/params.js';
import type { Decision } from './documentFilter.js';
import { checkFilter, type FilterRules, type FilterSetup } from './filterOptions.js';
import { type FilterHooks, type OpenedFilter, openFilter } from './openFilter.js';

/** Options of `filterDocuments`: options of a run that affect similarity, with the same defaults, and callbacks. */
export interface FilterOptions extends FilterRules, FilterHooks {}

/** A document with its decision. */
export interface FilteredDocument {
  /** Its position in the input, from 0. */
  readonly index: number;
  readonly id: string;
  /** Whether it resembles no document kept before it, or no document of `against`. */
  readonly kept: boolean;
  /** Id of the most similar kept document, the first of equal ones; null if this document is kept. */
  readonly resembles: string | null;
  /** Position of that document in the input; null if this document is kept, or that one is of `against`. */
  readonly resemblesIndex: number | null;
  /** Exact Jaccard similarity to it, 0..1, or the estimate with `verify: 'signature'`; NaN if this document is kept. */
  readonly jaccard: number;
  /** `identical`: the same text; `same-tokens`: the same tokens, in other bytes; null if this document is kept. */
  readonly kind: PairKind | null;
}

/** Documents between two yields to the event loop, if the source does not wait. */
const DOCUMENTS_A_TURN = 256;

/**
 * Yields for each document, immediately, whether it resembles one that was kept before it (or one of the documents
 * under `against`, which are read first). A document that resembles only dropped ones is kept, and so is one without
 * tokens. Documents are { id, text }, or texts alone with the ids `0`, `1`, ...; an empty input yields nothing. Memory
 * is bounded by `memory`: further texts are written to a temporary file. If the table of kept documents fills it, the
 * earliest ones are forgotten, which `onForgotten` reports.
 *
 * @throws MinHashError OPTION_INVALID with all invalid options; DOCUMENT_INVALID for a value that is not a document;
 * INPUT_FAILED if the source throws; MEMORY_BUDGET if the documents of `against` do not fit; SCRATCH_FAILED; the
 * signal's reason if it is aborted
 */
export async function* filterDocuments(
  documents: Iterable<GivenDocument> | AsyncIterable<GivenDocument>,
  options: FilterOptions = {},
): AsyncGenerator<FilteredDocument, void, undefined> {
  const { setup, hooks } = await resolveOptions(options);
  checkDocuments(documents);
  hooks.signal?.throwIfAborted();
  const opened = await openFilter(setup, hooks, () => {});
  try {
    yield* decided(documents, opened, setup.params, hooks);
    opened.indexed?.commit();
  } finally {
    opened.indexed?.close();
    opened.filter.end();
  }
}

async function resolveOptions(options: FilterOptions): Promise<{ setup: FilterSetup; hooks: FilterHooks }> {
  const call = callWith(options, '{ threshold: 0.8 }', ['onProgress', 'onForgotten']);
  const { signal, onProgress, onForgotten, ...rules } = call.options;
  const { setup, problems } = await checkFilter(rules);
  const allProblems = [
    ...problems,
    ...call.problems.map((detail): Problem => ({ code: 'OPTION_INVALID', detail })),
  ];
  if (allProblems.length > 0) throw new MinHashError(allProblems);
  return { setup, hooks: { signal, onProgress, onForgotten } };
}

async function* decided(
  documents: Values<GivenDocument>,
  { filter, learns, indexed }: OpenedFilter,
  params: ResultParams,
  { signal }: FilterHooks,
): AsyncGenerator<FilteredDocument, void, undefined> {
  const packer = new DocumentPacker();
  const { batch } = filter;
  const sink = new RecordTexts(batch, params);
  for await (const document of givenValues(documents, packer, signal)) {
    const index = packer.count;
    memoryDocuments(packer.add(document) ?? packer.end()!, sink);
    await filter.close();
    // An HTML page that is too large is not compared.
    const { id } = batch.count === 0 ? batch.unread[0]! : batch.identity(0);
    const { kept, empty, jaccard, kind, like } = batch.count === 0 ? UNREAD : filter.decide(0, learns);
    if (kept && !empty && indexed?.adds === true)
      indexed.add(batch.document(0), batch, 0, binaryOfBytes(id!));
    const resembles = like === null ? null : idOfBytes(like.id);
    const resemblesIndex = like === null || like.number < 0 ? null : like.number;
    batch.clear();
    const similar = kept ? { jaccard: Number.NaN, kind: null } : { jaccard, kind };
    yield { ...{ index, id: idOfBytes(id!), kept, resembles, resemblesIndex }, ...similar };
    if (index % DOCUMENTS_A_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
}

const UNREAD: Decision = { kept: true, empty: true, jaccard: 0, kind: 'near', like: null };
