/**
 * Task `leaders`: the members of large buckets -> pairs with leaders (reducers/leaderPairs.ts).
 *
 * Rows `bucket, doc, slots` arrive sorted by bucket. Emits a row `bucket, a, b, agreement` per pair, and a last row
 * `bucket, -1, members, unmatched` per bucket.
 */
import { type LeaderRule, leaderList } from '../../../../reducers/leaderPairs.js';
import type { EmitRow } from './lines.js';

function equalSlots(x: Int32Array, y: Int32Array): number {
  let equal = 0;
  for (let i = 0; i < x.length; i++) if (x[i] === y[i]) equal++;
  return equal;
}

export function pairLeaders(rows: Iterable<readonly string[]>, emit: EmitRow, rule: LeaderRule): void {
  let list = leaderList(rule, equalSlots);
  let [bucket, members] = ['', 0];
  const end = (): void => {
    if (bucket !== '') emit(bucket, -1, members, list.unmatched);
  };
  for (const [nextBucket, doc, slots] of rows) {
    if (nextBucket !== bucket) {
      end();
      list = leaderList(rule, equalSlots);
      [bucket, members] = [nextBucket!, 0];
    }
    members++;
    const signature = Int32Array.from(slots!.split(','), Number);
    for (const { leader, agreement } of list.follow(Number(doc), signature))
      emit(bucket, leader, doc!, agreement);
  }
  end();
}
