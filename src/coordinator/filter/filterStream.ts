/**
 * The filter of the command: a stream of JSON lines in, those that resemble none before them out, and a table of the others.
 */
import type { Readable } from 'node:stream';
import { MinHashError } from '../../errors.js';
import { binaryOfBytes, bytesOf } from '../../readers/list/pathIds.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import type { AgainstCounts } from './against.js';
import type { DocumentIdentity } from './batch.js';
import { DroppedTable } from './droppedTable.js';
import { type FilterCounts, FilteredLines, type LineOutput, noCounts, placeOfLine } from './filteredLines.js';
import type { FilterSetup } from './filterOptions.js';
import { type FilterHooks, openFilter } from './openFilter.js';

/** Rows of the table are passed on when there are so many bytes of them. */
const ROWS_BYTES = 64 << 10;

export interface StreamHooks extends FilterHooks {
  /** Lines as they came, soon overwritten. False: nobody reads them any more. */
  readonly pass: (lines: Uint8Array) => Promise<boolean>;
  /** Rows of the table of what is not passed on, its header first; soon overwritten. */
  readonly rows: (rows: Uint8Array) => void;
}

export interface StreamCounts extends FilterCounts {
  readonly duplicates: number;
  /** Pairs that share a bucket and agree in enough slots, and those of them whose sets were compared. */
  readonly candidates: number;
  readonly compared: number;
  /** Records for which not every candidate was compared, because buckets were hot. */
  readonly capped: number;
  /** Kept documents that were no longer compared at the end, because memory was full. */
  readonly forgotten: number;
  /** Null: lines were compared with one another. */
  readonly against: (AgainstCounts & { readonly skipped: number }) | null;
}

/**
 * Filters a stream until it ends, or until the reader of the output is gone. `counts` is right at any time, also after an error, for
 * all lines until then; and the rows of all of them were passed on.
 */
export class StreamFilter {
  readonly #setup: FilterSetup;
  readonly #hooks: StreamHooks;
  readonly #table = new DroppedTable();
  #lines: FilteredLines | null = null;
  #filter: Pick<StreamCounts, 'candidates' | 'compared' | 'capped' | 'forgotten'> = {
    candidates: 0,
    compared: 0,
    capped: 0,
    forgotten: 0,
  };
  #against: AgainstCounts | null = null;
  #againstSkipped = 0;

  constructor(setup: FilterSetup, hooks: StreamHooks) {
    this.#setup = setup;
    this.#hooks = hooks;
  }

  get counts(): StreamCounts {
    const counts = this.#lines?.counts ?? noCounts();
    const { candidates, compared, capped, forgotten } = this.#filter;
    const { identical, same_tokens, near } = counts;
    const against = this.#against === null ? null : { ...this.#against, skipped: this.#againstSkipped };
    const duplicates = identical + same_tokens + near;
    return { ...counts, duplicates, candidates, compared, capped, forgotten, against };
  }

  /**
   * True: the stream was read to its end.
   *
   * @throws MinHashError INPUT_REFUSED with --on-error fail, INPUT_FAILED, MEMORY_BUDGET, SCRATCH_FAILED, NOTHING_READ,
   * TEXT_FIELD_MISSING where there are lines and none is a document; the reason of the signal
   */
  async run(stdin: Readable): Promise<boolean> {
    const { signal } = this.#hooks;
    const stop = (): unknown => stdin.destroy();
    signal?.addEventListener('abort', stop);
    try {
      return await this.#run(stdin);
    } catch (error) {
      // A stopped stream ends with an error of its own.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#hooks.rows(this.#table.take());
    }
  }

  async #run(stdin: Readable): Promise<boolean> {
    const { params } = this.#setup;
    const { signal } = this.#hooks;
    const opened = await openFilter(this.#setup, this.#hooks, (place, code) => {
      this.#againstSkipped++;
      this.#table.skip(place, binaryOfBytes(place), code);
    });
    const { filter, kernel, learns } = opened;
    this.#filter = filter;
    this.#against = opened.against;
    const lines = new FilteredLines(filter, kernel, params, learns, this.#output(opened.placeOf));
    this.#lines = lines;
    try {
      signal?.throwIfAborted();
      for await (const piece of piecesOf(stdin)) {
        if (!(await lines.push(piece))) return false;
        signal?.throwIfAborted();
      }
      return await lines.end();
    } finally {
      filter.end();
    }
  }

  #output(placeOf: (like: DocumentIdentity) => string): LineOutput {
    const table = this.#table;
    const { pass, rows } = this.#hooks;
    const isOfStream = this.#against === null;
    const added = (): void => {
      if (table.length >= ROWS_BYTES) rows(table.take());
    };
    return {
      pass,
      drop: (record, decision) => {
        const like = decision.like!;
        const keptPlace = isOfStream ? placeOfLine(like.number) : placeOf(like);
        table.drop(record, placeOfLine(record.number), keptPlace, decision);
        added();
      },
      skip: (id, line, code) => {
        const place = placeOfLine(line);
        table.skip(id ?? bytesOf(place), place, code);
        added();
      },
    };
  }
}

/** @throws MinHashError INPUT_FAILED: an unknown number of bytes is missing */
async function* piecesOf(stdin: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of stdin as AsyncIterable<string | Uint8Array>) {
      bytes += piece.length;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null || error instanceof MinHashError) throw error;
    const detail = `standard input, after ${bytes} bytes: ${plainCauseOf(code)}`;
    throw new MinHashError({ code: 'INPUT_FAILED', detail }, { cause: error });
  }
}
