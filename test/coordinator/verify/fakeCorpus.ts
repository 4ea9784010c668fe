/** Documents whose sets come from memory instead of files, for tests of what is read when and held how long. */

import { encodeBlock } from '../../../src/blocks/block.js';
import type { Pairs } from '../../../src/blocks/pairs.js';
import { Run } from '../../../src/coordinator/context.js';
import type { EvidencePairs, Reader } from '../../../src/coordinator/verify/exactEvidence.js';
import type { ReadPairs, ReadSets } from '../../../src/coordinator/verify/reread.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import type { ResultParams } from '../../../src/sketch/params.js';
import { type Budget, UNBOUNDED } from '../../../src/store/budget.js';
import { Store } from '../../../src/store/store.js';
import { KERNEL_MODULE } from '../../../src/tasks/kernelModule.js';
import { TASKS } from '../../../src/tasks/table.js';
import { kernelModule } from '../../kernel/sketchKernels.js';

export const LIMITS = { threshold: 0.5, margin: 10 } as const;

/** One document: its sorted set, null where it changed, and what kind of document it is. */
export interface FakeDocument {
  readonly set: readonly number[] | null;
  /** Hashes in the set, as the tables have it; default those of the set. */
  readonly size?: number;
  readonly file?: boolean;
}

/** A run on this thread over documents whose sets are asked of `documentOf` whenever they are read. */
export class FakeCorpus implements Reader {
  readonly run: Run;
  readonly documents: number;
  /** Documents asked for, call by call. */
  readonly asked: number[][] = [];
  /** Stages of the tasks that ran. */
  readonly stages: string[] = [];
  private readonly documentOf: (document: number) => FakeDocument;

  private constructor(run: Run, documents: number, documentOf: (document: number) => FakeDocument) {
    this.run = run;
    this.documents = documents;
    this.documentOf = documentOf;
  }

  static async of(
    documents: number,
    documentOf: (document: number) => FakeDocument,
    budget: Partial<Budget> = {},
  ): Promise<FakeCorpus> {
    const params = { threshold: LIMITS.threshold, measure: 'resemblance' } as ResultParams;
    const setup = { params } as unknown as Record<string, never>;
    const engine = await createInlineEngine({
      tasks: { TASKS },
      setup,
      store: new Store(),
      workerData: { [KERNEL_MODULE]: kernelModule },
    });
    const run = new Run(params, engine, undefined, undefined, { ...UNBOUNDED, ...budget });
    const corpus = new FakeCorpus(run, documents, documentOf);
    const { run: perform } = engine;
    engine.run = (task) => {
      corpus.stages.push(task.kind);
      return perform(task);
    };
    return corpus;
  }

  hashesOf(document: number): number {
    const { set, size } = this.documentOf(document);
    return size ?? set?.length ?? 0;
  }

  isFile(document: number): boolean {
    return this.documentOf(document).file ?? false;
  }

  /** As a task does it that finds a changed document with other content, or none. */
  readPairs = async (documents: Uint32Array, { a, b }: Pairs, rows: Uint32Array): Promise<ReadPairs> => {
    this.asked.push([...documents]);
    const found = [...rows].map((row) => evidenceOf(this.setOf(a[row]!) ?? [], this.setOf(b[row]!) ?? []));
    const jaccard = Float64Array.from(found, (one) => one.jaccard);
    const evidence = {
      jaccard,
      containmentAB: Float64Array.from(found, (one) => one.containmentAB),
      containmentBA: Float64Array.from(found, (one) => one.containmentBA),
      accepted: Uint8Array.from(jaccard, (value) => (value >= LIMITS.threshold ? 1 : 0)),
    };
    return { documents, unchanged: this.unchanged(documents), evidence, bytes: 0 };
  };

  /** Three documents a task. */
  async *read(documents: Uint32Array): AsyncGenerator<ReadSets> {
    if (documents.length === 0) return;
    const call = this.asked.push([...documents]);
    for (let from = 0; from < documents.length; from += 3) {
      const part = documents.slice(from, from + 3);
      const name = `sets/${call}/${from}`;
      const hashes: number[] = [];
      const offsets = [0];
      const indexes = new Uint32Array(part.length);
      part.forEach((document, i) => {
        const set = this.setOf(document);
        if (set === null) return;
        indexes[i] = offsets.length - 1;
        for (const element of set) hashes.push(...hashOf(element));
        offsets.push(hashes.length / 2);
      });
      const columns = { hashes: Uint32Array.from(hashes), offsets: Float64Array.from(offsets) };
      this.run.put(name, encodeBlock('shingleSets', {}, columns, true), 'counted');
      await this.run.engine.store.room();
      yield { name, documents: part, unchanged: this.unchanged(part), indexes, bytes: 0 };
    }
  }

  setOf(document: number): readonly number[] | null {
    return this.documentOf(document).set;
  }

  private unchanged(documents: Uint32Array): Uint8Array {
    return Uint8Array.from(documents, (d) => (this.setOf(d) === null ? 0 : 1));
  }
}

const hashOf = (element: number): [low: number, high: number] => [element * 7, element << 16];

export function evidenceOf(x: readonly number[], y: readonly number[]) {
  const common = x.filter((element) => y.includes(element)).length;
  return {
    jaccard: common / (x.length + y.length - common),
    containmentAB: common / x.length,
    containmentBA: common / y.length,
  };
}

/** Pairs of which nothing is known but their agreement. */
export function pairsWithout(
  list: readonly (readonly [number, number])[],
  agreement: readonly number[] = list.map(() => LIMITS.margin),
): EvidencePairs {
  const nothing = (): Float64Array => new Float64Array(list.length).fill(Number.NaN);
  return {
    a: Uint32Array.from(list, ([a]) => a),
    b: Uint32Array.from(list, ([, b]) => b),
    count: list.length,
    agreement: Uint16Array.from(agreement),
    jaccard: nothing(),
    containmentAB: nothing(),
    containmentBA: nothing(),
    accepted: new Uint8Array(list.length),
  };
}
