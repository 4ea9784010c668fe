/** The index of the library: adds documents in memory, and looks up texts. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checkNumber, checkObject, kindOf, MinHashError, type Problem } from '../../errors.js';
import type { AddedPortion } from '../../index/format.js';
import { dayOfDate, INDEX_MANIFEST } from '../../index/format.js';
import { IndexWriter, makeIndex, type OpenedIndex, openedIndex } from '../../index/indexFolder.js';
import { type IndexManifest, readIndexManifest } from '../../index/indexManifest.js';
import { type IndexHit, lookUp, lookupRule } from '../../index/lookups.js';
import { compact } from '../../index/merging.js';
import { removeDocuments } from '../../index/removing.js';
import type { Kernel } from '../../kernel/kernel.js';
import { checkOptions, type RunOptions } from '../../options/check.js';
import { isPath, shownValue } from '../../options/values.js';
import { checkDocuments } from '../../readers/formats/givenDocuments.js';
import { type GivenDocument, isText } from '../../readers/formats/memoryDocuments.js';
import { idOfBytes } from '../../readers/list/pathIds.js';
import type { PairKind } from '../../result/readResult.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { MemoryRun } from '../inMemory.js';
import { SkipList } from '../skips.js';
import { addPortion, appendRead } from './addDocuments.js';
import { checkNewIndex, NO_SOURCES, type PINNED_OPTIONS, repeatedPortion } from './indexOptions.js';
import { IndexSources } from './indexSources.js';
import { TextSketches } from './textSketches.js';

/** Options of a new index, which fixes them. */
export interface NewIndexOptions extends Pick<RunOptions, (typeof PINNED_OPTIONS)[number]> {
  /**
   * The index has no shingle sets, and takes about half the bytes. Candidates are verified by reading their files
   * again. Documents whose files are gone or changed are found only by equal tokens.
   */
  readonly withoutSets?: boolean;
}

/** A document of an index that resembles a text. */
export interface IndexAnswer {
  /** Its id, which is its location if it has no other. */
  readonly document: string;
  /**
   * `path` or `path#n`, as in the result of a run; `#n` for the n-th document of a portion that was added from memory.
   */
  readonly location: string;
  readonly portion: string;
  /** Exact Jaccard similarity, 0..1. */
  readonly jaccard: number;
  /** `identical`: the same text; `same-tokens`: the same tokens in different texts; `near`: any other. */
  readonly kind: PairKind;
}

/** The documents to remove: all that match any of these. */
export interface IndexRemoval {
  readonly portion?: string;
  /** Ids or locations. */
  readonly ids?: Iterable<string>;
  /** YYYY-MM-DD in UTC: documents that were added before that day and that no addition has seen since. */
  readonly notSeenSince?: string;
}

/**
 * Creates an empty index in a new or empty folder.
 *
 * @throws MinHashError OPTION_INVALID with all problems; INDEX_REFUSED for a folder that is not empty, WRITE_FAILED,
 * DISK_FULL
 */
export function createIndex(folder: string, options: NewIndexOptions = {}): void {
  checkFolder(folder);
  checkObject('options', options);
  const { withoutSets = false, ...pinned } = options;
  const { parameters, problems } = checkNewIndex(pinned);
  const detail = `withoutSets ${shownValue(withoutSets)}: expected true or false`;
  const ofSets = typeof withoutSets === 'boolean' ? [] : [{ code: 'OPTION_INVALID', detail } as const];
  if (problems.length + ofSets.length > 0) throw new MinHashError([...problems, ...ofSets]);
  makeIndex(folder, parameters, !withoutSets);
}

/**
 * Opens an index. Any number of processes may read it at a time; one process may add, remove or compact.
 *
 * @throws MinHashError INDEX_MISSING, INDEX_DAMAGED with the file, INDEX_MISMATCH if it is of another version
 */
export async function openIndex(folder: string): Promise<NearDuplicateIndex> {
  return new NearDuplicateIndex(folder, await kernelHere());
}

function checkFolder(folder: string): void {
  if (!isPath(folder))
    throw new MinHashError({
      code: 'OPTION_INVALID',
      detail: `folder ${shownValue(folder)}: expected the path of a folder`,
    });
}

/** An opened index. */
export class NearDuplicateIndex {
  readonly folder: string;
  readonly #kernel: Kernel;
  #opened: OpenedIndex | null = null;
  /** The manifest from which `#opened` was read. */
  #version = '';
  #sketches: TextSketches | null = null;
  #sources: IndexSources | null = null;

  /** @internal use openIndex */
  constructor(folder: string, kernel: Kernel) {
    checkFolder(folder);
    this.folder = folder;
    this.#kernel = kernel;
    this.#current();
  }

  get portions(): IndexManifest['portions'] {
    return this.#current().manifest.portions;
  }

  /** Documents in the index, without removed ones. */
  get documents(): number {
    return this.#current().documents;
  }

  /**
   * Candidates of queries that were not verified because their sources are gone or changed, counted since the index
   * last changed.
   */
  get unverified(): number {
    return this.#sources?.unverified ?? 0;
  }

  /**
   * The documents that resemble a text, most similar first, equal ones in the order of addition; empty for a text
   * without tokens.
   *
   * @param options `top`: most answers, default 10; `threshold`: at least that of the index, its default
   * @throws MinHashError DOCUMENT_INVALID, OPTION_INVALID, INDEX_DAMAGED with the file
   */
  async query(
    text: string | Uint8Array,
    options: { readonly top?: number; readonly threshold?: number } = {},
  ): Promise<IndexAnswer[]> {
    if (!isText(text)) {
      const detail = `text: expected a string or a Uint8Array, got ${kindOf(text)}`;
      throw new MinHashError({ code: 'DOCUMENT_INVALID', detail });
    }
    checkObject('options', options);
    const { top = 10, threshold } = options;
    checkNumber('top', top, 'count');
    const index = this.#current();
    const { parameters } = index.manifest;
    checkThreshold(threshold, parameters.threshold);
    const document = this.#sketches!.sketch(typeof text === 'string' ? new TextEncoder().encode(text) : text);
    if (document === null) return [];
    const rule = lookupRule(parameters, threshold);
    const { hits } = await this.#sources!.through(() => lookUp(index.segments, document, rule));
    return hits.slice(0, top).map((hit) => answerOf(index, hit));
  }

  /**
   * Adds documents as a portion: { id, text }, or texts alone, whose ids are their positions. `near` of the result
   * counts those that resemble documents that were in the index before.
   *
   * @throws MinHashError DOCUMENT_INVALID, INPUT_FAILED, INDEX_REFUSED for an existing portion, INDEX_LOCKED,
   * INDEX_DAMAGED, WRITE_FAILED, DISK_FULL: the index is unchanged
   */
  async add(
    documents: Iterable<GivenDocument> | AsyncIterable<GivenDocument>,
    options: { readonly portion: string; readonly threads?: number },
  ): Promise<AddedPortion> {
    checkDocuments(documents);
    checkObject('options', options);
    const { portion, threads = 0 } = options;
    checkNumber('threads', threads, 'count or 0');
    if (typeof portion !== 'string' || portion === '')
      throw new MinHashError({ code: 'OPTION_INVALID', detail: '--portion: expected the name of a portion' });
    const writer = new IndexWriter(this.folder);
    try {
      const { parameters, portions } = writer.manifest;
      const problems = repeatedPortion(portions, portion);
      if (!writer.manifest.sets)
        problems.push({ code: 'INDEX_REFUSED', detail: `${this.folder}: ${NO_SOURCES}` });
      if (problems.length > 0) throw new MinHashError(problems);
      const { resolved } = checkOptions({});
      // Documents are read once.
      const params = { ...resolved.params, ...parameters, verify: 'signature' as const };
      const begun = new MemoryRun();
      try {
        const { run, source } = await begun.start(documents, params, resolved.execution, { threads });
        const reading = { run, source, skipped: new SkipList() };
        const added = await addPortion(
          writer,
          { name: portion, kernel: this.#kernel },
          async (segment, number) => (await appendRead(segment, number, reading)).empty,
        );
        await begun.close();
        return added;
      } catch (error) {
        await begun.destroy();
        throw error;
      }
    } finally {
      writer.close();
    }
  }

  /**
   * Removes documents; returns their number. `compact` frees their bytes.
   *
   * @throws MinHashError OPTION_INVALID, INDEX_REFUSED for an unknown portion, INDEX_LOCKED, WRITE_FAILED: the index is
   * unchanged
   */
  async remove(removal: IndexRemoval): Promise<number> {
    checkObject('removal', removal);
    return withWriter(this.folder, (writer) => removeFrom(writer, removal));
  }

  /**
   * Merges all segments into one, without removed documents. @throws MinHashError INDEX_LOCKED, INDEX_DAMAGED,
   * WRITE_FAILED, DISK_FULL
   */
  async compact(): Promise<void> {
    withWriter(this.folder, compact);
  }

  /** Closes the files. */
  async close(): Promise<void> {
    this.#sources?.close();
    this.#opened?.close();
    this.#opened = null;
  }

  /** The current index: another process may have changed it. */
  #current(): OpenedIndex {
    const path = join(this.folder, INDEX_MANIFEST);
    const status = statSync(path, { bigint: true, throwIfNoEntry: false });
    const version = status === undefined ? '' : `${status.ino} ${status.mtimeNs}`;
    if (this.#opened !== null && version === this.#version) return this.#opened;
    const opened = openedIndex(this.folder);
    this.#sources?.close();
    this.#opened?.close();
    this.#opened = opened;
    this.#sources = new IndexSources(opened, this.#kernel);
    this.#version = version;
    this.#sketches = new TextSketches(this.#kernel, opened.manifest.parameters);
    return opened;
  }
}

export function withWriter<T>(folder: string, work: (writer: IndexWriter) => T): T {
  const writer = new IndexWriter(folder);
  try {
    return work(writer);
  } finally {
    writer.close();
  }
}

function checkThreshold(threshold: number | undefined, least: number): void {
  const isNumber = typeof threshold === 'number';
  if (threshold === undefined || (isNumber && threshold >= least && threshold <= 1)) return;
  const detail = `--threshold ${shownValue(threshold)}: expected at least that of the index, ${least}, and at most 1`;
  throw new MinHashError({ code: 'OPTION_INVALID', detail });
}

export function answerOf(index: OpenedIndex, { segment, row, jaccard, kind }: IndexHit): IndexAnswer {
  const record = segment.record(row);
  const { id, location } = segment.names(record);
  return {
    ...{ document: idOfBytes(id ?? location), location: idOfBytes(location) },
    ...{ portion: index.portion(record.portion).name, jaccard, kind },
  };
}

function areNames(ids: unknown): boolean {
  if (typeof ids !== 'object' || ids === null || !(Symbol.iterator in ids)) return false;
  return Array.isArray(ids) ? ids.every((id) => typeof id === 'string') : true;
}

/**
 * Removes documents; returns their number.
 *
 * @param unmatched ids and locations; those of the index are removed from it
 * @throws MinHashError with all errors; INDEX_DAMAGED, WRITE_FAILED, DISK_FULL: the index is unchanged
 */
export function removeFrom(
  writer: IndexWriter,
  { portion, ids, notSeenSince }: IndexRemoval,
  unmatched: Set<string> = new Set(),
): number {
  const { portions } = readIndexManifest(writer.folder);
  const problems: Problem[] = [];
  const number = portions.find(({ name }) => name === portion)?.number ?? null;
  if (portion !== undefined && number === null) {
    const names = portions.map(({ name }) => name).join(', ');
    const detail = `--portion ${shownValue(portion)}: expected one of the portions: ${names}`;
    problems.push({ code: 'INDEX_REFUSED', detail });
  }
  const before = notSeenSince === undefined ? null : dayOfDate(String(notSeenSince));
  if (notSeenSince !== undefined && before === null) {
    const detail = `--not-seen-since ${shownValue(notSeenSince)}: expected a date such as 2026-11-28`;
    problems.push({ code: 'OPTION_INVALID', detail });
  }
  if (ids !== undefined && !areNames(ids))
    problems.push({
      code: 'OPTION_INVALID',
      detail: `ids ${shownValue(ids)}: expected a list of ids or locations`,
    });
  if (portion === undefined && ids === undefined && notSeenSince === undefined)
    problems.push({ code: 'OPTION_INVALID', detail: 'expected --portion, --ids or --not-seen-since' });
  if (problems.length > 0) throw new MinHashError(problems);
  const wanted = new Set(ids);
  return removeDocuments(
    writer,
    (record, namesOf, seen) => {
      let isListed = false;
      if (wanted.size > 0) {
        const { id, location } = namesOf();
        for (const name of [location, ...(id === null ? [] : [id])].map(idOfBytes)) {
          isListed ||= wanted.has(name);
          unmatched.delete(name);
        }
      }
      return isListed || record.portion === number || (before !== null && seen < before);
    },
    number,
  );
}
