/**
 * The signatures of the column blocks, as tasks over pairs are given them.
 *
 * Floor 4.
 */
import { encodeBlock } from '../blocks/block.js';
import { isPlace } from '../storage/blockPlace.js';
import type { ComparedSketches } from './comparing.js';
import type { Corpus } from './corpus.js';
import { PAIR_BYTES } from './pairMemory.js';
import type { ComparePlan, PairPlan } from './pairPlan.js';
import type { Run } from './run.js';

export class SignatureSource implements ComparedSketches {
  readonly stage = 'agreement';
  readonly pairBytes = PAIR_BYTES;
  /** Number of blocks `signatures/k`. */
  readonly blocks: number;
  /** What a task reads them by, and from. */
  readonly inputs: readonly string[];
  private readonly run: Run;
  private readonly plan: PairPlan;
  private readonly names: readonly string[];

  constructor(run: Run, plan: PairPlan, { tables, blockOf, columnOf }: Corpus) {
    this.run = run;
    this.plan = plan;
    this.blocks = tables.length;
    this.names = tables.map((_, k) => `signatures/${k}`);
    this.inputs = ['places', ...this.names];
    run.put('places', encodeBlock('documents', {}, { blockOf, columnOf }, true));
  }

  /** Whether a worker may keep hold of all of them: they are in memory now. */
  get held(): boolean {
    const { store } = this.run.engine;
    return this.plan.signaturesHeld && this.names.every((name) => !isPlace(store.locate(name)));
  }

  access(held: boolean, { bytes }: ComparePlan) {
    return { signatures: { blocks: this.blocks, held, bytes } };
  }

  agreements(count: number): Uint16Array {
    return new Uint16Array(count);
  }
}
