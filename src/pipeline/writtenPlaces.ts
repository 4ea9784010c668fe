/**
 * The places of the rows of result files, as blocks for the tasks that write them.
 *
 * Floor 4. Where the id of every document is its place and stands in the files as places do, there are none: nothing is
 * made, and the column of ids is written twice.
 */
import { encodeBlock } from '../blocks/block.js';
import type { IdTable } from '../blocks/idTable.js';
import type { ResultFormat } from '../sketch/params.js';
import { WHOLE } from '../storage/filePlaces.js';
import { needsPlaceForm } from '../storage/results/escaping.js';
import type { Corpus } from './corpus.js';
import type { PlaceColumns } from './places.js';
import type { Run } from './run.js';

/** Bytes of a place in columns: its name and its number. */
const PLACE_BYTES = 12;

export class WrittenPlaces {
  private readonly run: Run;
  /** Null: ids are written. */
  private readonly placesOf: ((documents: Uint32Array) => PlaceColumns) | null = null;

  /** Shares what places begin with, `out/names`, where they are written. */
  constructor(run: Run, { ids, places }: Pick<Corpus, 'ids' | 'places'>) {
    this.run = run;
    if (places !== null) this.placesOf = (documents) => places.of(documents);
    else if (hasPlaceForms(ids, run.params.format)) this.placesOf = asIds;
    else return;
    const { offsets, bytes } = places?.names ?? ids;
    if (places !== null) run.tables.take('ids of files', 4 * offsets.length + bytes.length);
    this.run.put('out/names', encodeBlock('pairs', {}, { offsets, bytes }, true));
  }

  /** Inputs of a task that writes the rows with these places. */
  inputsOf(name: string | null): readonly string[] {
    return name === null ? [] : ['out/names', name];
  }

  /** The name of the block of places, which `put` makes; null: there is none. */
  nameOf(table: string, part: number): string | null {
    return this.placesOf === null ? null : `out/places/${table}/${part}`;
  }

  /** Makes the block for the rows of these documents. */
  put(name: string | null, documents: Uint32Array): void {
    if (name === null) return;
    this.run.tables.take(`places of ${documents.length} rows`, PLACE_BYTES * documents.length);
    this.run.put(name, encodeBlock('pairs', {}, { ...this.placesOf!(documents) }, true));
  }

  /** The rows are written. */
  forget(name: string | null, rows: number): void {
    if (name === null) return;
    this.run.engine.store.delete(name);
    this.run.tables.give(PLACE_BYTES * rows);
  }
}

function hasPlaceForms({ offsets, bytes }: IdTable, format: ResultFormat): boolean {
  if (format === 'tsv') return false;
  for (let d = 0; d + 1 < offsets.length; d++) {
    if (needsPlaceForm(bytes, offsets[d]!, offsets[d + 1]!)) return true;
  }
  return false;
}

const asIds = (documents: Uint32Array): PlaceColumns => ({
  name: documents,
  number: new Float64Array(documents.length).fill(WHOLE),
});
