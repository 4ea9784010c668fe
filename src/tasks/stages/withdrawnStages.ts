/**
 * Stages that withdraw documents: those that changed between the two readings. Their pairs are void, and the other members of
 * their classes stay, each alone (`classes`): nobody read them again.
 *
 * A side file lists the ranks of withdrawn documents, 8 bytes each; a task holds all of them.
 */
import { COMPARED_KINDS, EvidenceReader } from '../stream/evidence.js';
import { KIND, KINDS, PLACE, RANK } from '../stream/kinds.js';
import { FieldWriter, type RecordSource, type StageSink, sharesPrefix } from '../stream/records.js';
import { SortedRows } from '../stream/sortedRows.js';
import { MAP_ONLY, type StagePlace, type StreamStage } from '../stream/stage.js';

export const WITHDRAWN = 'withdrawn';
/** Most documents that are withdrawn: 32 MB in every task. */
export const MOST_WITHDRAWN = 2 ** 22;
/** The count of what a second reading did not find: of sets, or of pairs of them. */
export const WITHOUT_SET = 'without a set';

/** Says of the 8 bytes of a rank whether the document is withdrawn. */
export function withdrawnIn(here: StagePlace): (rank: Uint8Array) => boolean {
  if (here.manifest.sides[WITHDRAWN] === undefined) return () => false;
  const ranks = SortedRows.ofSide(here, WITHDRAWN, RANK);
  return (rank) => ranks.beginningWith(rank) >= 0;
}

/** Tags after the place. */
const [WANTED, FOUND, CHANGED] = [0, 1, 2];

const TAGS: Readonly<Record<number, number>> = {
  [KINDS.wanted]: WANTED,
  [KINDS.set]: FOUND,
  [KINDS.changed]: CHANGED,
};

/** wanted -> place, 0; set -> place, 1; changed -> place, 2. */
function mapChanged(input: RecordSource, out: StageSink): void {
  const last = new FieldWriter();
  while (input.next()) {
    const { key } = input;
    // A set has many records, one after the other.
    if (last.size > 0 && sharesPrefix(key, last.view, KIND + PLACE)) continue;
    last.reset().raw(key, 0, KIND + PLACE);
    out.key.tagged(key, PLACE, TAGS[key[0]!]!, KIND + PLACE);
    out.write();
  }
}

/** The wanted documents that the second reading found otherwise than the first, or not. */
export const changed: StreamStage = {
  kinds: [KINDS.wanted, KINDS.set, KINDS.changed],
  shuffles: ['place'],
  prefix: PLACE,
  map: mapChanged,
  reduce(input, out) {
    while (input.group()) {
      let [isWanted, isFound] = [false, false];
      while (input.each()) {
        if (input.key[PLACE] === WANTED) isWanted = true;
        else isFound = input.key[PLACE] === FOUND;
      }
      if (!isWanted || isFound) continue;
      out.key.kind(KINDS.changed).raw(input.shared);
      out.write();
    }
  },
};

/** The pairs that are left when documents are withdrawn. Counts the near ones. */
export const remaining: StreamStage = {
  kinds: [...COMPARED_KINDS, KINDS.evidence],
  ...MAP_ONLY,
  map(input, out, here) {
    const isGone = withdrawnIn(here);
    const pair = new EvidenceReader(here.manifest.params);
    while (input.next()) {
      const { key } = input;
      if (isGone(key.subarray(KIND, KIND + RANK)) || isGone(key.subarray(KIND + RANK, KIND + 2 * RANK)))
        continue;
      if (pair.read(input) && pair.isNear) here.facts.add('near', 1);
      out.put(key, input.value);
    }
  },
};
