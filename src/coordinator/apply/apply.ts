/**
 * The pipeline of apply: a finished run and its inputs -> the corpus without the dropped documents.
 *
 *      1  the run, its dropped documents, and the current inputs           appliedDrops, currentCorpus, readDropList
 *      2  the fate of every file, and everything that prevents it          ApplyPlan
 *      3  the folder for the corpus                                        CorpusFolder
 *      4  file by file: left out, copied, or rewritten                     FileWriting
 *      5  counts that balance; then the corpus gets its name               balance, CorpusFolder.finish
 *
 * Inputs are read and never changed. Until step 5 the folder does not exist, or is unchanged.
 */
import { MinHashError } from '../../errors.js';
import { isPath, shownValue } from '../../options/values.js';
import type { Manifest } from '../../result/manifest.js';
import { readManifest } from '../../result/readManifest.js';
import { tableRows } from '../../result/readResult.js';
import { rescueOf } from '../../result/warnings.js';
import { VERSION } from '../../store/packageFiles.js';
import { type AppliedDrops, appliedDrops } from './appliedDrops.js';
import {
  type ApplyHooks,
  type ApplyOptions,
  type ApplyReport,
  checkApply,
  modeOf,
  refuseInterrupted,
} from './applyOptions.js';
import { ApplyPlan } from './applyPlan.js';
import { refuseCorpusFolder, takeCorpusFolder } from './corpusFolder.js';
import { type CurrentCorpus, currentCorpus, refused, refuseOtherTexts } from './currentCorpus.js';
import { readClusterFacts, readDropList } from './dropList.js';
import { FileWriting } from './files/fileWriting.js';
import { listDropped, listKept } from './listing.js';

/**
 * Applies the drop list of the result in `folder` to its corpus: writes the corpus without the dropped documents to
 * another folder, or lists locations. Files keep the names, formats and compression of the inputs, and kept records
 * their bytes.
 *
 * @returns a report; null if locations were listed
 * @throws MinHashError OPTION_INVALID, RESULT_MISSING, RESULT_DAMAGED, INPUT_CHANGED with the inputs that differ from
 * what the run read, APPLY_REFUSED, TARGET_REFUSED, OUTPUT_LOCKED: nothing was written. INPUT_LOST, WRITE_FAILED,
 * DISK_FULL, INTERRUPTED: the same call starts over
 */
export async function applyResult(
  folder: string,
  options: ApplyOptions,
  hooks: ApplyHooks = {},
): Promise<ApplyReport | null> {
  const problems = checkApply(options);
  if (!isPath(folder))
    problems.unshift({
      code: 'OPTION_INVALID',
      detail: `${shownValue(folder)}: expected a folder with a result`,
    });
  if (problems.length > 0) throw new MinHashError(problems);
  const taken = await appliedDrops(folder, readManifest(folder), options);
  const { manifest } = taken;
  const end = options.null === true ? 0 : 0x0a;
  const give = async (lines: Uint8Array): Promise<void> => {
    refuseInterrupted(hooks);
    await hooks.onList?.(lines);
  };
  if (options.list === 'dropped') {
    await listDropped(folder, manifest, taken.rows(), end, give);
    return null;
  }
  refuseForm(folder, manifest, options);
  const corpus = await currentCorpus(folder, manifest, options.corpus ?? null, hooks.signal);
  try {
    if (options.list === undefined) return await writeCorpus(corpus, folder, taken, options, hooks);
    const drops = await readDropList(folder, taken, corpus.files);
    await refuseOtherTexts(corpus, manifest, drops);
    await listKept(corpus, manifest, drops, end, give);
    return null;
  } finally {
    corpus.files.close();
  }
}

async function writeCorpus(
  corpus: CurrentCorpus,
  folder: string,
  taken: AppliedDrops,
  options: ApplyOptions,
  hooks: ApplyHooks,
): Promise<ApplyReport> {
  const { manifest } = taken;
  const { force = false, annotate = false } = options;
  const out = options.to!;
  const closed = { inputs: corpus.roots, results: [folder] };
  refuseCorpusFolder(out, closed, force);
  const drops = await readDropList(folder, taken, corpus.files);
  await refuseOtherTexts(corpus, manifest, drops);
  // Reference documents are in clusters too, and --corpus does not give their path.
  const isPart = corpus.isElsewhere && (manifest.counts.reference_documents ?? 0) > 0;
  const clusters = annotate ? await readClusterFacts(folder, manifest, corpus.files, isPart) : null;
  const plan = new ApplyPlan(corpus, manifest, { drops, clusters }, options);
  await plan.refuse(out, folder, await filesCutShort(folder, manifest));
  const writing = new FileWriting(plan, hooks);
  // A moved corpus may differ, an edited list may name records that do not exist, and records may have the added fields already: this
  // is checked before anything is written.
  if (corpus.isElsewhere || annotate || options.dropList !== undefined) await writing.checkAll();
  const target = takeCorpusFolder(out, force);
  try {
    await writing.writeAll(target);
    balance(plan, manifest, writing);
    await target.finish();
    return reportOf(folder, manifest, options, writing);
  } finally {
    target.release(false);
  }
}

/** The codes of damaged compressed files, by binary id of the file. */
async function filesCutShort(folder: string, { counts }: Manifest): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  if (!Object.keys(counts.skipped).some((code) => rescueOf(code) !== null)) return files;
  for await (const { document, code } of tableRows(folder, 'skipped')) {
    const file = document.replace(/#\d+$/, '');
    if (code !== null && rescueOf(code) !== null) files.set(file, code);
  }
  return files;
}

/** @throws MinHashError APPLY_REFUSED if the compared documents are not what would be written or listed */
function refuseForm(folder: string, { parameters }: Manifest, options: ApplyOptions): void {
  const isListed = options.list !== undefined;
  if (parameters.sets !== undefined) throw refused(`${folder}: ${isListed ? NO_LIST_OF_SETS : OF_SETS}`);
  const isOfUnits = (parameters.unit ?? 'document') !== 'document';
  if (isOfUnits && (isListed || modeOf(options) !== 'kept')) throw refused(`${folder}: ${OF_UNITS}`);
}

const OF_UNITS =
  'it compared parts of documents (--unit), which are removed from them: expected no --dropped, --annotate or --list kept';

const OF_SETS =
  'it compared sets (--input sets), whose elements may be in any line of any file; --list dropped lists the sets';

const NO_LIST_OF_SETS = 'it compared sets: only dropped sets can be listed, with --list dropped';

function reportOf(
  folder: string,
  manifest: Manifest,
  options: ApplyOptions,
  writing: FileWriting,
): ApplyReport {
  const { read, kept, dropped } = manifest.counts;
  return {
    version: VERSION,
    result: folder,
    out: options.to!,
    mode: modeOf(options),
    unit: manifest.parameters.unit ?? 'document',
    documents: { read, kept, dropped },
    ...writing.counts,
  };
}

/**
 * Checks that every dropped document was found and every file was processed. @throws MinHashError COUNTS_UNBALANCED: an
 * internal error
 */
function balance(plan: ApplyPlan, { counts }: Manifest, writing: FileWriting): void {
  const { files } = writing.counts;
  const balances: readonly (readonly [what: string, got: number, expected: number])[] = [
    ['documents dropped', writing.droppedMet, counts.dropped],
    ['files', files.written + files.left_out, plan.files],
  ];
  const problems = balances.filter(([, got, expected]) => got !== expected);
  if (problems.length === 0) return;
  throw new MinHashError(
    problems.map(([what, got, expected]) => ({
      code: 'COUNTS_UNBALANCED',
      detail: `${what}: expected ${expected}, got ${got}`,
    })),
  );
}
