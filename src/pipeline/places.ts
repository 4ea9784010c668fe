/**
 * Where every document of a corpus stands, as result files tell it: the id of a file, and the number of the record in it.
 *
 * Floor 4. Only for corpora in which some record names its id: everywhere else the id is the place, and nothing is kept. It
 * follows from the document tables, which are held anyway.
 */
import type { IdTable } from '../blocks/idTable.js';
import type { FileTable } from '../storage/fileTable.js';

/** Where documents stand by their numbers: in which column block and column, and what the tables of these say. */
export interface DocumentTables {
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly tables: readonly {
    readonly columns: { readonly file: Uint32Array; readonly record: Float64Array };
  }[];
}

/** Places of some documents: a name of the table of names each, and the number behind it (src/storage/filePlaces.ts). */
export interface PlaceColumns {
  readonly name: Uint32Array;
  readonly number: Float64Array;
}

/** Documents in memory are in no file, so that their place is `#` and their number in the order given. */
const NO_FILES: IdTable = { offsets: new Uint32Array(2), bytes: new Uint8Array(0) };

/** The number of a record: of lines from 1 in their file, of elements from 0; `firstLine` of their block, null for elements. */
export function recordNumber(record: number, firstLine: number | null): number {
  return record < 0 || firstLine === null ? record : firstLine + record + 1;
}

export class Places {
  /** Ids of files. */
  readonly names: IdTable;
  private readonly corpus: DocumentTables;
  private readonly files: FileTable | null;
  private readonly firstLines: readonly (number | null)[];

  /** @param firstLines by column block: the line that it begins with, null where records are not lines */
  constructor(corpus: DocumentTables, files: FileTable | null, firstLines: readonly (number | null)[]) {
    this.corpus = corpus;
    this.files = files;
    this.firstLines = firstLines;
    this.names = files?.ids ?? NO_FILES;
  }

  of(documents: Uint32Array): PlaceColumns {
    const { blockOf, columnOf, tables } = this.corpus;
    const name = new Uint32Array(documents.length);
    const number = new Float64Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      const block = blockOf[documents[i]!]!;
      const column = columnOf[documents[i]!]!;
      const { file, record } = tables[block]!.columns;
      const told = recordNumber(record[column]!, this.firstLines[block]!);
      name[i] = file[column]!;
      number[i] = this.files?.placeNumber(file[column]!, told) ?? told;
    }
    return { name, number };
  }
}
