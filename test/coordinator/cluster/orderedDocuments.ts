/** The documents among the records that a result is written from. */
import type { DatasetRecord } from '../../../src/engines/job.js';
import { GatheredReading } from '../../../src/tasks/stream/gatheredRecords.js';
import { KINDS, OF_RANKED, ORDER, RANK } from '../../../src/tasks/stream/kinds.js';
import { compareKeys, u64At } from '../../../src/tasks/stream/records.js';

interface OrderedDocument {
  readonly rank: number;
  /** Rank of the first member of its class. */
  readonly first: number;
  /** As the value of a `ranked` record. */
  readonly ranked: Uint8Array;
}

/** In the order of the result. @throws Error where one does not come behind the one before */
export function orderedDocuments(records: readonly DatasetRecord[]): OrderedDocument[] {
  const ordered = records
    .filter(([key]) => key[0] !== KINDS.fact)
    .sort((one, other) => compareKeys(one[0], other[0]));
  const of = (what: number) => ordered.filter(([key]) => key[ORDER.whatAt] === what);
  const firsts = new Map(of(ORDER.member).map(([key, value]) => [u64At(key, ORDER.rankAt), u64At(value, 0)]));
  const gathered = new GatheredReading();
  const found = of(ORDER.document).flatMap(([key, value]) => {
    gathered.open(value);
    if (u64At(key, ORDER.rankAt) !== u64At(value, gathered.headEnd + 4)) throw new Error('another rank');
    const documents: OrderedDocument[] = [];
    while (gathered.next()) {
      const { head, from, to } = gathered;
      const rank = u64At(value, head);
      const ranked = new Uint8Array(OF_RANKED.id + to - from);
      ranked.set(value.subarray(head + RANK, head + RANK + OF_RANKED.id));
      ranked.set(value.subarray(from, to), OF_RANKED.id);
      documents.push({ rank, first: firsts.get(rank) ?? rank, ranked });
    }
    return documents;
  });
  found.forEach(({ rank }, i) => {
    if (i > 0 && rank <= found[i - 1]!.rank) throw new Error('not in the order of ranks');
  });
  return found;
}
