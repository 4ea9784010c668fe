/**
 * A file that is one JSON array, parts of whose elements are taken out. Whether an element stays is known when it is edited, and
 * the comma before it goes with it: so the array is held, and gone over twice.
 */
import { ArrayCutting } from './arrayCutting.js';
import { EDITED, type EditedBytes, KEPT, LEFT_OUT, RecordEditor, type RecordFates } from './fates.js';
import type { Cutting } from './recordTaker.js';

const NOWHERE: EditedBytes = { stay: () => {}, leave: () => {}, insert: () => {} };

/** What edits an array, and what is to be given its bytes. */
export function editedArray(
  fates: RecordFates,
  out: EditedBytes,
): { readonly editor: RecordEditor; readonly cutting: Cutting } {
  const edits = new Map<number, Uint8Array>();
  const { keepsBlanks } = fates;
  const look = new RecordEditor(
    {
      keepsBlanks,
      fateOf: (number) => fates.fateOf(number),
      edited: (number, bytes) => {
        const edited = fates.edited(number, bytes);
        if (edited !== null) edits.set(number, edited);
        return null;
      },
    },
    NOWHERE,
  );
  const editor = new RecordEditor(
    {
      keepsBlanks,
      fateOf: (number) => {
        const edited = edits.get(number);
        if (edited === undefined) return KEPT;
        return edited.length === 0 ? LEFT_OUT : EDITED;
      },
      edited: (number) => edits.get(number)!,
    },
    out,
  );
  return { editor, cutting: new HeldArray([new ArrayCutting(look), new ArrayCutting(editor)]) };
}

/** Gives the whole file to one after the other. */
class HeldArray implements Cutting {
  readonly #cuttings: readonly Cutting[];
  readonly #held: Buffer[] = [];

  constructor(cuttings: readonly Cutting[]) {
    this.#cuttings = cuttings;
  }

  push(bytes: Buffer): void {
    this.#held.push(Buffer.from(bytes));
  }

  end(): void {
    const whole = Buffer.concat(this.#held);
    for (const cutting of this.#cuttings) {
      cutting.push(whole);
      cutting.end();
    }
  }
}
