/**
 * The fields that `--annotate` adds to every record.
 *
 *      {"text": "..."}   ->   {"text": "...","cluster":7,"cluster_size":3,"kept":false,"similarity":0.9375}
 *
 * A record without a near-duplicate is a cluster of size 1; these are numbered after the clusters of the result, in
 * record order. `kept`: false if the drop list has the record. `similarity`: 1 for a kept record; for a dropped one the
 * similarity to the kept document, or null if a person dropped all copies.
 */
import { startAfterMark } from '../../../readers/bytes/encodings.js';
import { isObject, parsedJson } from '../../../readers/formats/json/json.js';
import { textOf } from '../../../readers/list/pathIds.js';
import { refused } from '../currentCorpus.js';
import { type ClusterFacts, type DocumentValues, valueIn } from '../dropList.js';
import { EDITED, type Fate, type RecordFates } from './fates.js';

/** In the order of addition. */
export const ADDED_FIELDS: readonly string[] = ['cluster', 'cluster_size', 'kept', 'similarity'];

/** Counts records that are clusters of size 1, over all files. */
export interface Singles {
  count: number;
}

/** The fields of a record. */
interface Label {
  readonly cluster: number;
  readonly size: number;
  readonly isKept: boolean;
  readonly similarity: number | null;
}

/** Clusters, drops and similarities for the documents of one file. */
export class FileAnnotations {
  /** Dropped documents found so far. */
  dropped = 0;
  readonly #drops: DocumentValues;
  readonly #clusters: ClusterFacts;
  readonly #singles: Singles;
  readonly #file: number;

  constructor(file: number, drops: DocumentValues, clusters: ClusterFacts, singles: Singles) {
    this.#file = file;
    this.#drops = drops;
    this.#clusters = clusters;
    this.#singles = singles;
  }

  /** The fields of a record; call it once per record, in order. */
  labelOf(number: number): Label {
    const { numbers, sizes } = this.#clusters;
    const known = this.#valueOf(numbers, number);
    const value = this.#valueOf(this.#drops, number);
    const isKept = value === undefined;
    if (!isKept) this.dropped++;
    const similarity = isKept ? 1 : Number.isNaN(value) ? null : value;
    if (known !== undefined) return { cluster: known, size: sizes[known]!, isKept, similarity };
    return { cluster: Math.max(0, sizes.length - 1) + ++this.#singles.count, size: 1, isKept, similarity };
  }

  #valueOf(values: DocumentValues, number: number): number | undefined {
    return valueIn(values, { file: this.#file, number });
  }
}

/** Adds the fields to lines that are JSON objects; other lines are unchanged. */
export class AnnotatedLines implements RecordFates {
  readonly keepsBlanks = true;
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

  /** @throws MinHashError APPLY_REFUSED if the record has one of the fields already */
  edited(number: number, bytes: Buffer): Uint8Array | null {
    const record = parsedJson(bytes, startAfterMark(bytes), bytes.length);
    if (!isObject(record)) return null;
    const taken = ADDED_FIELDS.find((name) => Object.hasOwn(record, name));
    if (taken !== undefined) {
      throw refused(`--annotate: ${textOf(this.#id)}#${number} has a field ${taken} already`);
    }
    const close = bytes.lastIndexOf('}');
    const fields = `${Object.keys(record).length === 0 ? '' : ','}${this.#fields(number)}`;
    return Buffer.concat([bytes.subarray(0, close), Buffer.from(fields), bytes.subarray(close)]);
  }

  #fields(number: number): string {
    const { cluster, size, isKept, similarity } = this.annotations.labelOf(number);
    return `"cluster":${cluster},"cluster_size":${size},"kept":${isKept},"similarity":${similarity}`;
  }
}
