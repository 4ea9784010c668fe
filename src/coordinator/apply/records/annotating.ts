/**
 * Fields that `--annotate` adds to every record.
 *
 *      {"text": "..."}   ->   {"text": "...","cluster":7,"kept":false,"similarity":0.9375}
 *
 * `cluster` is the number of its cluster, or null where it is in none; `kept` whether the drop list leaves it; `similarity` to the
 * kept document that replaces it (1: identical), null for a kept one.
 */
import { JsonScanner, OPEN_OBJECT } from '../../../readers/formats/json/jsonScanner.js';
import { textOf } from '../../../readers/list/pathIds.js';
import { refused } from '../corpusNow.js';
import { type DocumentValues, valueIn } from '../dropList.js';
import { EDITED, type Fate, type RecordFates } from './fates.js';

/** In the order in which they are added. */
export const ADDED_FIELDS: readonly string[] = ['cluster', 'kept', 'similarity'];

/** Clusters, drops and similarities of the documents of one file. */
export class FileAnnotations {
  /** Dropped documents that were looked up. */
  dropped = 0;
  readonly #drops: DocumentValues;
  readonly #clusters: DocumentValues;
  readonly #file: number;

  constructor(file: number, drops: DocumentValues, clusters: DocumentValues) {
    this.#file = file;
    this.#drops = drops;
    this.#clusters = clusters;
  }

  /** Null: in no cluster. */
  clusterOf(number: number): number | null {
    return this.#valueOf(this.#clusters, number) ?? null;
  }

  /** How many documents with a smaller number are dropped. */
  droppedBefore(number: number): number {
    const { starts, numbers } = this.#drops;
    return numbers.subarray(starts[this.#file]!, starts[this.#file + 1]!).filter((own) => own < number)
      .length;
  }

  isDropped(number: number): boolean {
    return this.#valueOf(this.#drops, number) !== undefined;
  }

  /** To the kept document that replaces it; null: it is kept itself, or the result has no value. */
  similarityOf(number: number): number | null {
    const value = this.#valueOf(this.#drops, number);
    return value === undefined || Number.isNaN(value) ? null : value;
  }

  #valueOf(values: DocumentValues, number: number): number | undefined {
    return valueIn(values, { file: this.#file, number });
  }
}

/** Adds the fields to lines that are objects of JSON; other lines stay as they are. */
export class AnnotatedLines implements RecordFates {
  readonly keepsBlanks = true;
  readonly #scanner = new JsonScanner([...ADDED_FIELDS]);
  readonly annotations: FileAnnotations;
  readonly #id: string;

  constructor(id: string, annotations: FileAnnotations) {
    this.#id = id;
    this.annotations = annotations;
  }

  get dropped(): number {
    return this.annotations.dropped;
  }

  fateOf(): Fate {
    return EDITED;
  }

  /** @throws MinHashError APPLY_REFUSED where the record has one of the fields */
  edited(number: number, bytes: Buffer): Uint8Array | null {
    const scanner = this.#scanner;
    const end = scanner.scan(bytes, 0, bytes.length);
    if (end < 0 || !scanner.isObject || scanner.skipSpace(bytes, end, bytes.length) < bytes.length)
      return null;
    const taken = ADDED_FIELDS.find((_, i) => scanner.fields[i]!.from >= 0);
    if (taken !== undefined) {
      throw refused(`--annotate: ${textOf(this.#id)}#${number} has a field ${taken} of its own`);
    }
    const isEmpty = bytes[scanner.skipSpace(bytes, 0, end)] === OPEN_OBJECT && this.#holdsNothing(bytes, end);
    const fields = `${isEmpty ? '' : ','}${this.#fields(number)}`;
    return Buffer.concat([bytes.subarray(0, end - 1), Buffer.from(fields), bytes.subarray(end - 1)]);
  }

  #holdsNothing(bytes: Buffer, end: number): boolean {
    const open = this.#scanner.skipSpace(bytes, 0, end);
    return this.#scanner.skipSpace(bytes, open + 1, end) === end - 1;
  }

  #fields(number: number): string {
    const { annotations } = this;
    const isDropped = annotations.isDropped(number);
    if (isDropped) annotations.dropped++;
    const [cluster, similarity] = [annotations.clusterOf(number), annotations.similarityOf(number)];
    return `"cluster":${cluster},"kept":${!isDropped},"similarity":${similarity}`;
  }
}
