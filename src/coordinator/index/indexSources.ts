/**
 * The sources of an index without sets: the files from which its portions were read. Sets of candidates are read from
 * them once more. A document whose source is gone or has other tokens now is counted by file, and is not an answer.
 */
import { join } from 'node:path';
import { INDEX_MANIFEST } from '../../index/format.js';
import { type OpenedIndex, openedIndex } from '../../index/indexFolder.js';
import type { PortionEntry, PortionSources } from '../../index/indexManifest.js';
import type { WantedSet } from '../../index/pendingSets.js';
import type { Segment } from '../../index/segment.js';
import type { Kernel } from '../../kernel/kernel.js';
import { shownValue } from '../../options/values.js';
import { findDocuments } from '../../readers/find.js';
import { copiedSource } from '../../readers/list/addresses.js';
import { type Inputs, listInputs } from '../../readers/list/inputs.js';
import { binaryOf, binaryOfBytes, bytesOf, textOf } from '../../readers/list/pathIds.js';
import { realPathOf } from '../../readers/list/walk.js';
import type { ResultParams } from '../../sketch/params.js';
import { whyNotOurs } from '../../store/ownership.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { absolutePath } from '../resultPaths.js';
import { TextSketches } from './textSketches.js';

/** Why a document is not verified. */
type Why = 'gone' | 'changed' | 'not read';

/** Most files in a message. */
const MOST_NAMED = 5;

export class IndexSources {
  readonly #index: OpenedIndex;
  readonly #sketches: TextSketches;
  /** A portion that is not in the manifest yet. */
  readonly #added: PortionEntry | null;
  readonly #inputs = new Map<number, Inputs>();
  /** Documents that were not verified, by segment and row. */
  readonly #lost = new Map<string, { readonly file: string; readonly why: Why }>();
  #untrusted: string | null | undefined;

  constructor(index: OpenedIndex, kernel: Kernel, added: PortionEntry | null = null) {
    this.#index = index;
    this.#sketches = new TextSketches(kernel, index.manifest.parameters);
    this.#added = added;
  }

  /** The result of a look-up, after the sets that it needs are read. */
  async through<T>(look: () => T): Promise<T> {
    const { pending } = this.#index;
    if (pending === null) return look();
    pending.clear();
    const result = look();
    return (await this.read()) ? look() : result;
  }

  /** Reads the sets that look-ups need; returns false if they need none. */
  async read(): Promise<boolean> {
    const wanted = this.#index.pending?.take() ?? [];
    const byPortion = new Map<number, WantedSet<Segment>[]>();
    for (const one of wanted) {
      const { portion } = one.segment.record(one.row);
      byPortion.set(portion, [...(byPortion.get(portion) ?? []), one]);
    }
    for (const [number, some] of byPortion) await this.#readPortion(number, some);
    return wanted.length > 0;
  }

  /** Documents that were not verified. */
  get unverified(): number {
    return this.#lost.size;
  }

  /** The number of documents that were not verified, by file and reason, as `a.jsonl: 3 documents, gone`. */
  lines(): string[] {
    const counts = new Map<string, number>();
    for (const { file, why } of this.#lost.values()) {
      const reason = why === 'not read' ? `not read: ${this.#untrusted}` : why;
      const line = `${reason}\t${file}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    return [...counts].map(([line, count]) => {
      const [reason, file] = line.split('\t') as [string, string];
      return `${shownValue(file)}: ${count} ${count === 1 ? 'document' : 'documents'}, ${reason}`;
    });
  }

  /** A sentence about documents that were not verified; null: all were. */
  warning(): string | null {
    const lines = this.lines();
    if (lines.length === 0) return null;
    const more = lines.length > MOST_NAMED ? `; and ${lines.length - MOST_NAMED} more` : '';
    const shownLines = lines.slice(0, MOST_NAMED).join('; ');
    return `candidates that could not be verified: ${shownLines}${more}`;
  }

  close(): void {
    for (const { files } of this.#inputs.values()) files.close();
    this.#inputs.clear();
  }

  async #readPortion(number: number, wanted: readonly WantedSet<Segment>[]): Promise<void> {
    const portion = number === this.#added?.number ? this.#added : this.#index.portion(number);
    const locations = wanted.map(({ segment, row }) =>
      binaryOfBytes(segment.names(segment.record(row)).location),
    );
    const isRead = this.#whyUntrusted() === null && portion.sources !== undefined;
    const texts = isRead
      ? await this.#texts(number, portion.sources, new Set(locations))
      : new Map<string, Uint8Array>();
    for (const [i, { segment, row }] of wanted.entries()) {
      const location = locations[i]!;
      const text = texts.get(location);
      const document = text === undefined ? null : this.#sketches.sketch(text);
      const { contentKey } = segment.record(row);
      if (document?.contentKey.every((word, at) => word === contentKey[at]) === true) {
        this.#index.pending!.put(segment, row, document.set());
        continue;
      }
      const why = !isRead ? 'not read' : text === undefined ? 'gone' : 'changed';
      this.#lost.set(`${segment.entry.name} ${row}`, { file: textOf(location).replace(/#\d.*$/, ''), why });
    }
  }

  async #texts(
    number: number,
    { roots, reading }: PortionSources,
    locations: ReadonlySet<string>,
  ): Promise<Map<string, Uint8Array>> {
    const { shingle, unit } = this.#index.manifest.parameters;
    const params = { ...reading, shingle, unit };
    let inputs = this.#inputs.get(number);
    if (inputs === undefined) {
      inputs = await listInputs({
        paths: roots.map(({ path }) => path),
        called: roots.map(({ prefix }) => ({ prefix: binaryOf(prefix), isPiped: false })),
        outFolder: null,
        params,
      });
      this.#inputs.set(number, inputs);
    }
    return findDocuments(inputs, params, locations, { areLocations: true });
  }

  /**
   * Why the files recorded in the index must not be opened; null: only the user of this process can have written it.
   */
  #whyUntrusted(): string | null {
    if (this.#untrusted !== undefined) return this.#untrusted;
    const real = realPathOf(binaryOf(this.#index.folder));
    const path = real === null ? this.#index.folder : bytesOf(real).toString();
    this.#untrusted = whyNotOurs(path) ?? whyNotOurs(join(path, INDEX_MANIFEST));
    return this.#untrusted;
  }
}

/**
 * The sources of an index without sets that are gone or changed, by file; empty for an index with sets.
 *
 * @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH
 */
export async function unreadSources(folder: string): Promise<string[]> {
  const kernel = await kernelHere();
  const index = openedIndex(folder);
  const sources = new IndexSources(index, kernel);
  try {
    const { pending, segments } = index;
    if (pending === null) return [];
    for (const segment of segments) {
      for (let row = 0; row < segment.rows; row++) {
        if (!segment.isRemoved(row)) segment.setOf(row);
        if (!pending.isFull && row + 1 < segment.rows) continue;
        await sources.read();
        pending.clear();
      }
    }
    return sources.lines().map((line) => `the source of ${line}`);
  } finally {
    sources.close();
    index.close();
  }
}

/** The sources from which the documents of a run can be read again. */
export function portionSources({ places }: Pick<Inputs, 'places'>, params: ResultParams): PortionSources {
  const { textField, idField, textFieldGiven, input, encoding, maxDocument, textFormat } = params;
  const { separator, quote, include, exclude, records } = params;
  return {
    roots: places
      .filter(({ isReference }) => isReference !== true)
      .map(({ path, prefix }) => ({ path: absolutePath(path), prefix })),
    reading: {
      ...{ textField, idField, textFieldGiven, input, encoding, maxDocument, textFormat },
      ...{ separator, quote, include, exclude },
      ...(records !== undefined && { records }),
    },
  };
}

/** Problems of PATHs that cannot be sources of an index without sets, because they are read only once. */
export function sourceProblems(paths: readonly string[]) {
  return paths
    .filter((path) => path === '-' || copiedSource(path) !== null)
    .map((path) => ({
      code: 'INDEX_REFUSED' as const,
      detail: `${shownValue(path)}: expected files and directories, which an index without sets reads again`,
    }));
}
