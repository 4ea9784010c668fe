/**
 * How similar the documents of a cluster are, from its accepted pairs. Pairs connect one document of each duplicate group with the
 * other documents, so a group counts as one document here.
 */
import { type IndexPart, NEAR } from '../result/resultIndex.js';

export class Likeness {
  /** By document, the first document of its duplicate group. */
  readonly #first: Uint32Array;
  /** By first document of a group, the groups that are near it. */
  readonly #near = new Map<number, Map<number, number>>();
  /** By first document of a group, its documents. */
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

  /** The similarity of two documents, 0..1; NaN: they are no accepted pair. */
  of(x: number, y: number): number {
    const [one, other] = [this.#first[x]!, this.#first[y]!];
    return one === other ? 1 : (this.#near.get(one)?.get(other) ?? Number.NaN);
  }

  /** The document that resembles `x` most among those for which `isTaken` holds, the first of equal ones; -1: there is none. */
  mostAlike(x: number, isTaken: (document: number) => boolean): number {
    const own = this.#first[x]!;
    let [best, value] = [-1, 0];
    const offer = (group: number, similarity: number): void => {
      if (similarity < value) return;
      const found = this.#members.get(group)!.find((d) => d !== x && isTaken(d)) ?? -1;
      if (found < 0 || (similarity === value && best >= 0 && best < found)) return;
      best = found;
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
