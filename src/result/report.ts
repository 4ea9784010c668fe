/**
 * The report of a finished run, as `--json` and the library return it. Paths in it are as typed; the caller that prints them
 * escapes them.
 */

import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import type { ResultParams, Unit } from '../sketch/params.js';
import type { WrittenFile } from '../store/files.js';
import type { ManifestCounts, ReportedNumbers } from './facts.js';
import type { LackedValues, ReadAs, SCurveFacts, StageStats } from './manifest.js';

/** Where the documents of a run came from. */
export interface ReportedInputs {
  /** Prefixes of locations, by PATH. */
  readonly places: readonly RootPlace[];
  /** The PATHs of --against. */
  readonly against: readonly string[];
}

/**
 * How to write the corpus without the dropped documents. `to`: the folder to write; `force`: it replaces an earlier corpus; `corpus`:
 * PATHs of the corpus, if the result's own cannot be trusted. If the corpus cannot be written, `listed` says why, and what a list of
 * locations is for.
 */
export type CorpusAdvice =
  | { readonly to: string; readonly force?: true; readonly corpus?: readonly string[] }
  | { readonly listed: string };

export interface ReportFacts {
  readonly version: string;
  /** The output folder as typed. */
  readonly out: string;
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
  readonly numbers: ReportedNumbers;
  readonly sCurve: SCurveFacts;
  readonly files: readonly WrittenFile[];
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** The source of the documents. */
  readonly inputs?: ReportedInputs;
  /** Entries below the PATHs that were not read. */
  readonly leftOut?: LeftOut;
  /** The numbers of documents by format; absent for a result read from disk, and for documents in memory. */
  readonly readAs?: ReadAs;
  /** The field of `--id-field`, if it was set and no record has it; absent otherwise. */
  readonly missingIdField?: string;
  /** Warnings about the inputs. Absent if there are none. */
  readonly inputNotes?: readonly string[];
  /** Paths of damaged compressed files, by code. Absent: not known. */
  readonly damagedFiles?: Readonly<Record<string, string>>;
  /** Files of an index that are missing or have changed, so that their documents cannot be verified. */
  readonly unverifiedSources?: readonly string[];
  /** Fields of `--keep` that some documents lack. Absent if there are none. */
  readonly lackedValues?: readonly LackedValues[];
}

/** What `apply` writes: `kept` the kept documents, `dropped` the dropped ones, `annotated` all documents with fields added. */
export type ApplyMode = 'kept' | 'dropped' | 'annotated';

/** The outcome of writing the corpus. JSON. */
export interface ApplyReport {
  readonly version: string;
  /** The folder of the result, and that of the written corpus, as typed. */
  readonly result: string;
  readonly out: string | null;
  readonly mode: ApplyMode;
  /** The unit of comparison. If it is not the document, `documents` counts units, which were removed from documents. */
  readonly unit: Unit;
  /** Documents of the run. */
  readonly documents: { readonly read: number; readonly kept: number; readonly dropped: number };
  /**
   * Input files: read; written, including unchanged ones; left out, because all or (mode `dropped`) none of their documents
   * were dropped.
   */
  readonly files: {
    readonly read: number;
    readonly written: number;
    readonly unchanged: number;
    readonly left_out: number;
  };
  /** Records, documents or not, of files that were rewritten, including files without a remaining record. */
  readonly records: { readonly read: number; readonly written: number; readonly left_out: number };
  /** Bytes of files as stored. */
  readonly bytes: { readonly read: number; readonly written: number };
}

/** The report of a run. Frozen; JSON. */
export interface Report extends ReportFacts {
  /** Sentences for users of the command about limits, estimates and open points; empty if there are none. */
  readonly warnings: readonly string[];
  /** The outcome of writing the corpus, if that was requested. */
  readonly applied?: ApplyReport;
  /** How to write the corpus: of a result in a folder, if documents are dropped and the corpus is not written. */
  readonly cleaned?: CorpusAdvice;
}
