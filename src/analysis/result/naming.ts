/** Finds the document that a name of the user means: by location, otherwise by id, which several documents may have. */

import { MinHashError } from '../../errors.js';
import { textOf } from '../../readers/list/pathIds.js';
import { type ResultSource, readAgain } from './pairTexts.js';
import { matcherOf, type ResultRows } from './questions.js';

/** A document: its id, and its location, which identifies it. Binary strings. */
export interface NamedDocument {
  readonly id: string;
  readonly place: string;
}

/** Locations of an ambiguous id that a message lists. */
const MOST_LISTED = 5;

/** Collects the documents that a name may mean. */
class MeantDocuments {
  located: NamedDocument | null = null;
  private readonly isMeant: (written: string) => boolean;
  private readonly byId = new Map<string, NamedDocument>();

  constructor(name: string) {
    this.isMeant = matcherOf(name);
  }

  look(id: string, place: string): void {
    if (this.isMeant(place)) this.located ??= { id, place };
    else if (this.isMeant(id)) this.byId.set(place, { id, place });
  }

  /** Null: no document matches. @throws MinHashError DOCUMENT_AMBIGUOUS */
  document(): NamedDocument | null {
    if (this.located !== null) return this.located;
    const [first = null] = this.byId.values();
    if (this.byId.size < 2) return first;
    const places = [...this.byId.keys()].slice(0, MOST_LISTED).map(textOf);
    const more = this.byId.size > places.length ? ', ...' : '';
    throw new MinHashError({
      code: 'DOCUMENT_AMBIGUOUS',
      detail: `${textOf(first!.id)}: ${this.byId.size} documents: ${places.join(', ')}${more}`,
    });
  }
}

/**
 * The document with the location or id `name` (a binary string): in the rows of the result, otherwise in its inputs.
 * Null: it is in no row, and some inputs are missing.
 *
 * @throws MinHashError DOCUMENT_AMBIGUOUS; DOCUMENT_UNKNOWN if the rows and the inputs lack it
 */
export async function namedDocument(
  result: ResultSource,
  rows: ResultRows,
  name: string,
): Promise<NamedDocument | null> {
  const inRows = new MeantDocuments(name);
  for await (const { document, place } of rows('clusters')) {
    inRows.look(document, place);
    if (inRows.located !== null) return inRows.located;
  }
  for await (const { document, place, kept, keptPlace } of rows('duplicates')) {
    inRows.look(document, place);
    inRows.look(kept, keptPlace);
  }
  for await (const { a, b, aLocation, bLocation } of rows('candidates')) {
    inRows.look(a, aLocation);
    inRows.look(b, bLocation);
  }
  for await (const { document } of rows('skipped')) inRows.look(document, document);
  const inTables = inRows.document();
  if (inTables !== null) return inTables;
  const inInputs = new MeantDocuments(name);
  const { sets, texts, areAllRead } = await readAgain(result, [name], {
    located: (id, place) => inInputs.look(id, place),
  });
  // The reader reports ids and locations of documents; sets and units have names only.
  const isUnit = result.manifest.parameters.unit !== 'document';
  for (const own of isUnit ? texts.keys() : sets.keys()) inInputs.look(own, own);
  const read = inInputs.document();
  if (read !== null || !areAllRead) return read;
  throw new MinHashError({ code: 'DOCUMENT_UNKNOWN', detail: textOf(name) });
}
