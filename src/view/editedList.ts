/**
 * The drop list of a result as edited in `view`: the differences from the result in memory, and a complete list in a file
 * beside the result. The file is rewritten after every step.
 */
import { lstatSync, rmSync } from 'node:fs';
import { setImmediate as pause } from 'node:timers/promises';
import { MinHashError } from '../errors.js';
import { textOf } from '../readers/list/pathIds.js';
import { dropListBytes, savedDropList } from '../result/dropListFile.js';
import { type DropRow, tableRows } from '../result/readResult.js';
import { idIn, locationIn, NONE, type ResultIndex } from '../result/resultIndex.js';
import { openNamedFile } from '../store/namedFile.js';
import { clustersIn, type Edit, editedCluster, type KeeperFate, lostIn } from './editing.js';

/** The outcome of an edit. */
interface Outcome {
  /** The documents whose text would be lost, if the edit was rejected for that. */
  readonly lost: readonly number[];
  /** How many other documents have another replacement now, and how many have none and are kept. */
  readonly replaced: number;
  readonly freed: number;
}

/** Differences from the result's list, by document. */
type Fates = ReadonlyMap<number, KeeperFate>;

export class EditedList {
  readonly file: string;
  readonly #folder: string;
  readonly #index: ResultIndex;
  #fates: Fates = new Map();
  /** The states before each step of this view, for undo. */
  #before: Fates[] = [];
  /** The state of the file when `#fates` was read or written. */
  #stamp = 'none';
  #last: Promise<unknown> = Promise.resolve();

  constructor(index: ResultIndex, folder: string, file: string) {
    this.#index = index;
    this.#folder = folder;
    this.file = file;
  }

  /** The document that replaces `document`; `document` itself if its text is lost; NONE if it is kept. */
  keeperOf(document: number): number {
    return this.#fates.get(document)?.keeper ?? this.#index.keeper[document]!;
  }

  /** Documents that are dropped here and not in the result, and the reverse, ascending. */
  get changed(): Uint32Array {
    const isChanged = (d: number): boolean =>
      (this.keeperOf(d) === NONE) !== (this.#index.keeper[d] === NONE);
    return Uint32Array.from([...this.#fates.keys()].filter(isChanged)).sort();
  }

  /** The number of documents in the list. */
  get length(): number {
    let length = this.#index.manifest.counts.dropped;
    for (const d of this.changed) length += this.keeperOf(d) === NONE ? -1 : 1;
    return length;
  }

  /** The dropped documents without a kept near-duplicate, ascending. The result's own list has none. */
  async lost(): Promise<readonly number[]> {
    const lost: number[] = [];
    for (const cluster of clustersIn(this.#index, [...this.#fates.keys()])) {
      lost.push(...lostIn(this.#index, (d) => this.keeperOf(d), cluster));
      await pause();
    }
    return lost;
  }

  get hasSteps(): boolean {
    return this.#before.length > 0;
  }

  /** Reads the file again if it has changed since it was read or written here. @throws MinHashError OPTION_INVALID */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Edits the list and saves it. Without `mayLose` an edit that would lose texts changes nothing. @throws as refresh; WRITE_FAILED, DISK_FULL */
  edit(edit: Edit, mayLose: boolean): Promise<Outcome> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const after = new Map(this.#fates);
      const lost: number[] = [];
      const own = new Set([...edit.keep, ...edit.drop]);
      let [documents, replaced, freed] = [0, 0, 0];
      for (const cluster of clustersIn(this.#index, [...edit.keep, ...edit.drop])) {
        const edited = editedCluster(this.#index, (d) => this.keeperOf(d), cluster, edit);
        lost.push(...edited.lost);
        for (const [d, fate] of edited.fates) {
          if (fate.keeper === this.#index.keeper[d]) after.delete(d);
          else after.set(d, fate);
          if (own.has(d)) continue;
          if (fate.keeper === NONE) freed++;
          else replaced++;
        }
        documents += edited.fates.size;
        if (documents < MANY) continue;
        documents = 0;
        await pause();
      }
      if (lost.length > 0 && !mayLose) return { lost, replaced: 0, freed: 0 };
      await this.#save(after);
      return { lost: [], replaced, freed };
    });
  }

  /** Undoes the last step of this view. @throws as edit */
  undo(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const before = this.#before.pop();
      if (before === undefined) return;
      await this.#save(before);
      this.#before.pop();
    });
  }

  /** Runs one step after the other, because requests arrive while the file is written. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #refresh(): Promise<void> {
    const stamp = stampOf(this.file);
    if (stamp === this.#stamp) return;
    const rows = await savedDropList(this.file, this.#folder);
    this.#fates = rows === null ? new Map() : this.#differences(rows);
    this.#before = [];
    this.#stamp = stamp;
  }

  /** The differences of a list from that of the result. */
  #differences(rows: readonly DropRow[]): Fates {
    const index = this.#index;
    const fates = new Map<number, KeeperFate>();
    const isListed = new Uint8Array(index.documents);
    for (const { document, place, kept, keptPlace, jaccard } of rows) {
      const d = index.find(place);
      if (d < 0 || d >= index.clustered)
        throw new MinHashError({
          code: 'OPTION_INVALID',
          detail: `drop list ${this.file}: ${textOf(document)} is in no cluster of the result`,
        });
      isListed[d] = 1;
      const position = kept === '' ? d : index.find(keptPlace);
      const keeper = position < 0 ? d : position;
      if (keeper !== index.keeper[d]) fates.set(d, { keeper, similarity: jaccard ?? Number.NaN });
    }
    for (let d = 0; d < index.clustered; d++)
      if (isListed[d] === 0 && index.keeper[d] !== NONE)
        fates.set(d, { keeper: NONE, similarity: Number.NaN });
    return fates;
  }

  async #save(fates: Fates): Promise<void> {
    const before = this.#fates;
    this.#fates = fates;
    try {
      if (fates.size === 0) rmSync(this.file, { force: true });
      else await this.#write();
    } catch (error) {
      this.#fates = before;
      throw error;
    }
    this.#before.push(before);
    this.#stamp = stampOf(this.file);
  }

  async #write(): Promise<void> {
    const file = openNamedFile(this.file);
    try {
      for await (const piece of dropListBytes(this.#index.manifest, this.#rows())) {
        file.append(piece);
        await pause();
      }
      file.close();
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  /** The rows of the result's list with the edits, then those of further documents. */
  async *#rows(): AsyncGenerator<DropRow> {
    const index = this.#index;
    const rowOf = (d: number, { keeper, similarity }: KeeperFate): DropRow => ({
      document: idIn(index, d),
      kept: keeper === d ? '' : idIn(index, keeper),
      jaccard: similarity,
      containment: null,
      place: locationIn(index, d),
      keptPlace: keeper === d ? '' : locationIn(index, keeper),
    });
    for await (const row of tableRows(this.#folder, 'duplicates')) {
      const d = this.#fates.size === 0 ? -1 : index.find(row.place);
      const fate = this.#fates.get(d);
      if (fate === undefined) yield row;
      else if (fate.keeper !== NONE) yield rowOf(d, fate);
    }
    for (const d of [...this.#fates.keys()].sort((x, y) => x - y)) {
      const fate = this.#fates.get(d)!;
      if (fate.keeper === NONE || index.keeper[d] !== NONE) continue;
      yield rowOf(d, fate);
    }
  }
}

/** Documents edited before other requests are handled. */
const MANY = 10_000;

/** The state of a file, to detect changes. */
export function stampOf(file: string): string {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
