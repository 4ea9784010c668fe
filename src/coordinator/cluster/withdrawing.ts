/**
 * Documents that changed between the two readings, on engines that sort: they are withdrawn, as on threads (Verifier). The jobs
 * run only where a set is missing: `changed` finds the documents, `classes` runs again without them, `remaining` leaves their
 * pairs out.
 */
import { ERRORS, MinHashError } from '../../errors.js';
import { RankedDocuments } from '../../tasks/stages/documents/namingStages.js';
import { MOST_WITHDRAWN, WITHDRAWN } from '../../tasks/stages/withdrawnStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { KIND, KINDS, OF_RANKED, RANK } from '../../tasks/stream/kinds.js';
import { FieldWriter, u32At, u64At } from '../../tasks/stream/records.js';
import { sideOfRows } from '../../tasks/stream/sortedRows.js';
import { type ClassedCorpus, classesAgain } from './corpusFacts.js';
import type { JobDone, Jobs } from './jobs.js';

export class Withdrawing {
  /** Documents and their classes, without what is withdrawn so far. */
  classed: ClassedCorpus;
  /** Ranks of the documents. Memory: at most MOST_WITHDRAWN of them. */
  readonly ranks = new Set<number>();
  private readonly jobs: Jobs;
  /** By name of a dataset of pairs: how many documents were withdrawn when it was made. */
  private readonly made = new Map<string, number>();

  constructor(jobs: Jobs, classed: ClassedCorpus) {
    this.jobs = jobs;
    this.classed = classed;
  }

  /**
   * Withdraws the wanted documents whose sets are not among those of the second reading.
   *
   * @throws MinHashError INPUT_REFUSED with --on-error fail; INPUT_LOST where too many documents changed
   */
  async withdraw(label: string, wanted: JobDone, sets: JobDone): Promise<void> {
    const { jobs } = this;
    const places = new CorpusFiles(jobs.manifest);
    const { name } = await jobs.run('changed', [wanted.name, sets.name], { label });
    await jobs.each(name, KINDS.changed, (key) => {
      this.ranks.add(places.rankOf(u32At(key, KIND), u64At(key, KIND + 4)));
      if (this.ranks.size > MOST_WITHDRAWN) refuseMany();
    });
    const sorted = Float64Array.from(this.ranks).sort();
    if (jobs.manifest.params.onError === 'fail') await this.refuse(sorted[0]!);
    const rows = new FieldWriter();
    for (const rank of sorted) rows.u64(rank);
    await jobs.addSides({ [WITHDRAWN]: sideOfRows(rows.view, RANK) }, label);
    this.classed = await classesAgain(jobs, this.classed, label);
  }

  /** Datasets of pairs without those of withdrawn documents. */
  async current(label: string, pairs: readonly string[]): Promise<readonly string[]> {
    const { ranks, made, jobs } = this;
    if (pairs.every((name) => (made.get(name) ?? 0) === ranks.size)) return pairs;
    const { name } = await jobs.run('remaining', pairs, { label });
    made.set(name, ranks.size);
    return [name];
  }

  /** Refuses the run by the name of a document. */
  private async refuse(rank: number): Promise<never> {
    const { jobs } = this;
    const documents = new RankedDocuments(jobs.manifest, true);
    for (const name of this.classed.documents)
      await jobs.each(name, undefined, (key, value) => {
        documents.take({ key, value });
        while (documents.next()) {
          if (documents.rank !== rank) continue;
          const id = new TextDecoder().decode(documents.value.subarray(OF_RANKED.id));
          throw new MinHashError({ code: 'INPUT_REFUSED', detail: `${id}: ${ERRORS.CHANGED.text}` });
        }
      });
    throw new Error(`document ${rank} changed and was not read: our own defect`);
  }
}

function refuseMany(): never {
  const detail = `more than ${MOST_WITHDRAWN} documents changed while the run was reading them`;
  throw new MinHashError({ code: 'INPUT_LOST', detail });
}
