/**
 * The similarities of the documents of a cluster, from its accepted pairs. Pairs connect one document of each duplicate group with
 * other documents, so a group counts as one document here.
 */
import { type IndexPart, NEAR } from '../result/resultIndex.js';

export class Likeness {
  /** By document, the first document of its duplicate group. */
  readonly #first: Uint32Array;
  /** By first document of a group, the similar groups. */
  readonly #near = new Map<number, Map<number, number>>();
  /** By first document of a group, the documents of the group. */
  readonly #members = new Map<number, number[]>();

  constructor({ documents, pairs }: IndexPart) {
    const first = Uint32Array.from({ length: documents }, (_, d) => d);
    const root = (d: number): number => {
      while (first[d] !== d) d = first[d] = first[first[d]!]!;
      return d;
    };
    for (let i = 0; i < pairs.count; i++) {
      if (pairs.kind[i] === NEAR || pairs.b[i]! >= documents) continue;
      const [x, y] = [root(pairs.a[i]!), root(pairs.b[i]!)];
      first[Math.max(x, y)] = Math.min(x, y);
    }
    this.#first = first.map((_, d) => root(d));
    for (const [d, own] of this.#first.entries()) listOf(this.#members, own, () => []).push(d);
    for (let i = 0; i < pairs.count; i++) {
      if (pairs.kind[i] !== NEAR || pairs.b[i]! >= documents) continue;
      const [x, y] = [this.#first[pairs.a[i]!]!, this.#first[pairs.b[i]!]!];
      listOf(this.#near, x, () => new Map()).set(y, pairs.value[i]!);
      listOf(this.#near, y, () => new Map()).set(x, pairs.value[i]!);
    }
  }

  /** The similarity of two documents, 0..1; NaN if they are not an accepted pair. */
  of(x: number, y: number): number {
    const [groupX, groupY] = [this.#first[x]!, this.#first[y]!];
    return groupX === groupY ? 1 : (this.#near.get(groupX)?.get(groupY) ?? Number.NaN);
  }

  /** The document most similar to `x` among those for which `isTaken` holds, the first of equal ones; -1 if there is none. */
  mostAlike(x: number, isTaken: (document: number) => boolean): number {
    const own = this.#first[x]!;
    let [best, value] = [-1, 0];
    const offer = (group: number, similarity: number): void => {
      if (similarity < value) return;
      const candidate = this.#members.get(group)!.find((d) => d !== x && isTaken(d)) ?? -1;
      if (candidate < 0 || (similarity === value && best >= 0 && best < candidate)) return;
      best = candidate;
      value = similarity;
    };
    offer(own, 1);
    if (best < 0) for (const [group, similarity] of this.#near.get(own) ?? []) offer(group, similarity);
    return best;
  }
}

function listOf<Value>(lists: Map<number, Value>, key: number, make: () => Value): Value {
  const list = lists.get(key) ?? make();
  lists.set(key, list);
  return list;
}
