/**
 * `mr-minhash index`: creates an index, adds portions to it, removes documents from it, and prints its contents.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { addFiles } from '../../src/coordinator/index/addFiles.js';
import { checkNewIndex } from '../../src/coordinator/index/indexOptions.js';
import { unreadSources } from '../../src/coordinator/index/indexSources.js';
import { answerOf, removeFrom, withWriter } from '../../src/coordinator/index/openIndex.js';
import { ERRORS, type ErrorCode, MinHashError } from '../../src/errors.js';
import { checkIndex } from '../../src/index/checking.js';
import { SEGMENT_FILES } from '../../src/index/format.js';
import { documentsOf, IndexWriter, makeIndex, openedIndex } from '../../src/index/indexFolder.js';
import { type IndexManifest, readIndexManifest } from '../../src/index/indexManifest.js';
import { compact } from '../../src/index/merging.js';
import { LARGEST_LIST, readOptionFile } from '../../src/options/optionFile.js';
import { shownValue } from '../../src/options/values.js';
import { idOfBytes } from '../../src/readers/list/pathIds.js';
import { bytesText, counted, grouped } from '../../src/result/wording/amounts.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { INDEX_FLAGS, INDEX_SUBCOMMANDS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { optionsFromFlags, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { createProgressDisplay } from '../show/progress.js';
import { shownId, type Terminal } from '../terminal.js';

interface IndexContext extends CommandContext {
  readonly stdin: NodeJS.ReadableStream;
}

type Subcommand = (typeof INDEX_SUBCOMMANDS)[number];

/** Flags of single subcommands, beside --quiet and --verbose. */
const FLAGS_OF: Readonly<Record<Subcommand, readonly (keyof typeof INDEX_FLAGS)[]>> = {
  create: ['withoutSets'],
  add: ['portion'],
  portions: ['json'],
  stats: ['json'],
  check: ['json'],
  remove: ['portion', 'ids', 'notSeenSince'],
  compact: [],
};
const OF_ALL: readonly string[] = ['quiet', 'verbose'];

export const indexCommand = reporting('index', async (words, flags, context: IndexContext) => {
  const problems = new Problems(context);
  const [name, folder = '', ...paths] = words;
  const subcommand = INDEX_SUBCOMMANDS.find((known) => known === name);
  if (subcommand === undefined) {
    const got = name === undefined ? '' : `, got ${shownValue(name)}`;
    problems.say(`expected one of ${INDEX_SUBCOMMANDS.join(', ')}${got}`);
  } else {
    if (folder === '') problems.say(`index ${subcommand}: expected the folder of an index`);
    if (subcommand === 'add' && folder !== '' && paths.length === 0)
      problems.say('PATH...: expected at least one file or directory to add');
    if (subcommand !== 'add' && paths.length > 0)
      problems.say(`${paths.map(shownValue).join(' ')}: expected with index add only`);
    for (const key of Object.keys(INDEX_FLAGS) as (keyof typeof INDEX_FLAGS)[])
      if (!OF_ALL.includes(key) && flags[key] !== undefined && !FLAGS_OF[subcommand].includes(key))
        problems.say(`${nameOf(key)}: not a flag of index ${subcommand}`);
    if (subcommand === 'add' && typeof flags.portion !== 'string')
      problems.say('--portion NAME: expected a name for the added documents, such as 2026-11');
  }
  problems.values({ portion: INDEX_FLAGS.portion, notSeenSince: INDEX_FLAGS.notSeenSince }, flags);
  problems.refuse();
  const { terminal } = context;
  switch (subcommand!) {
    case 'create':
      return created(folder, flags, terminal);
    case 'add':
      return added(folder, paths, flags, context);
    case 'portions':
      return listed(readIndexManifest(folder), flags, terminal);
    case 'stats':
      return described(folder, flags, terminal);
    case 'check':
      return checked(folder, flags, terminal);
    case 'remove':
      return removed(folder, flags, terminal);
    case 'compact':
      return compacted(folder, flags, terminal);
  }
});

const nameOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function optionsOf(flags: ParsedFlags) {
  const { quiet: _, verbose: __, ...options } = optionsFromFlags(flags, INDEX_FLAGS);
  return options;
}

function created(folder: string, flags: ParsedFlags, terminal: Terminal): number {
  const { parameters, problems } = checkNewIndex(optionsOf(flags));
  if (problems.length > 0) throw new MinHashError(problems);
  makeIndex(folder, parameters, flags.withoutSets !== true);
  if (flags.quiet === true) return EXIT.done;
  const { threshold, shingle, banding } = parameters;
  terminal.say(
    `${folder} is an empty index: threshold ${threshold}, shingles ${shingle.unit}:${shingle.size}, ` +
      `${banding.bands} bands of ${banding.rows} rows`,
  );
  terminal.say(`Next:  ${terminal.command} index add ${folder} PATH... --portion NAME`);
  return EXIT.done;
}

async function added(
  folder: string,
  paths: readonly string[],
  flags: ParsedFlags,
  { terminal, stdin }: IndexContext,
): Promise<number> {
  const quiet = flags.quiet === true;
  const progress = createProgressDisplay(terminal, quiet);
  const interrupt = listenForInterrupt(() => terminal.say('stopping; the index stays as it was'));
  let hasHeader = false;
  const writer = new IndexWriter(folder);
  try {
    const added = await addFiles(writer, { ...optionsOf(flags), paths }, String(flags.portion), {
      onProgress: progress.update,
      signal: interrupt.signal,
      ...(paths.includes('-') && { stdin: stdin as Readable }),
      onNear: (location, hits, index) => {
        if (quiet) return;
        if (!hasHeader) terminal.printCells(NEAR_COLUMNS, '\t');
        hasHeader = true;
        const { location: there, portion, jaccard, kind } = answerOf(index, hits[0]!);
        const cells = [shownId(idOfBytes(location())), jaccard.toFixed(6), kind, shownId(there), portion];
        terminal.printCells(cells, '\t');
      },
    });
    progress.end();
    if (!quiet) for (const line of summary(added, readIndexManifest(folder))) terminal.say(line);
    return EXIT.done;
  } catch (error) {
    terminal.status('');
    if (!interrupt.signal.aborted) throw error;
    terminal.say('interrupted: the index is as it was');
    return EXIT.interrupted;
  } finally {
    writer.close();
    interrupt.release();
  }
}

const NEAR_COLUMNS = ['location', 'jaccard', 'kind', 'near_location', 'near_portion'];

function summary(
  { portion, documents, empty, near, same, unverified, skipped }: Awaited<ReturnType<typeof addFiles>>,
  manifest: IndexManifest,
): string[] {
  const reasons = Object.entries(skipped.counts()).map(
    ([code, count]) => `${count} ${ERRORS[code as ErrorCode].text}`,
  );
  const share = ((100 * near) / Math.max(1, documents)).toFixed(1);
  const ofSame = same === 0 ? '' : `, ${grouped(same)} with the same words`;
  const resembling = `  ${grouped(near)} (${share} %) resemble${near === 1 ? 's' : ''} earlier documents${ofSame}`;
  return [
    `Added ${counted(documents, 'document')} as portion ${portion}; the index has ${grouped(documentsOf(manifest))}`,
    ...(near > 0 ? [resembling] : []),
    ...(empty > 0 ? [`  ${counted(empty, 'document')} without words skipped`] : []),
    ...(unverified === null ? [] : [`  ${unverified}`]),
    ...(reasons.length > 0 ? [`  not read: ${reasons.join('; ')}`] : []),
  ];
}

function listed({ portions }: IndexManifest, flags: ParsedFlags, terminal: Terminal): number {
  if (flags.json === true) {
    terminal.printJson(portions.map(({ name, added, documents }) => ({ name, added, documents })));
    return EXIT.done;
  }
  terminal.printCells(['portion', 'added', 'documents'], '\t');
  for (const { name, added, documents } of portions)
    terminal.printCells([name, added, String(documents)], '\t');
  return EXIT.done;
}

function described(folder: string, flags: ParsedFlags, terminal: Terminal): number {
  const index = openedIndex(folder);
  index.close();
  const { segments, portions, parameters, version } = index.manifest;
  const bytes = segments.reduce(
    (sum, segment) => sum + SEGMENT_FILES.reduce((own, name) => own + segment.bytes[name], 0),
    statSync(join(folder, 'manifest.json')).size,
  );
  const { documents } = index;
  const removed = segments.reduce((sum, segment) => sum + (segment.removed?.count ?? 0), 0);
  const facts = { documents, removed, portions: portions.length, segments: segments.length, bytes };
  if (flags.json === true) {
    terminal.printJson({ ...facts, version, parameters });
    return EXIT.done;
  }
  terminal.print(
    `${counted(documents, 'document')} in ${counted(portions.length, 'portion')}, ${bytesText(bytes)}`,
  );
  const ofRemoved = removed === 0 ? '' : `, with ${counted(removed, 'removed document')}`;
  terminal.print(`${counted(segments.length, 'segment')}${ofRemoved}`);
  const { threshold, shingle, sketch, banding } = parameters;
  terminal.print(
    `threshold ${threshold}, shingles ${shingle.unit}:${shingle.size}, ${sketch.hashes} hashes, ` +
      `${banding.bands} bands of ${banding.rows} rows, seed ${sketch.seed}`,
  );
  return EXIT.done;
}

async function checked(folder: string, flags: ParsedFlags, terminal: Terminal): Promise<number> {
  const { documents, removed, problems: ofBytes } = checkIndex(folder);
  const ofSources = ofBytes.length === 0 ? await unreadSources(folder) : [];
  const problems = [...ofBytes, ...ofSources];
  if (flags.json === true) terminal.printJson({ documents, removed, problems });
  else if (problems.length === 0)
    terminal.print(`${folder} is valid: ${counted(documents, 'document')}, every byte was read`);
  else for (const problem of problems) terminal.print(problem);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

function removed(folder: string, flags: ParsedFlags, terminal: Terminal): number {
  const { portion, ids, notSeenSince, quiet } = flags;
  const listed = typeof ids === 'string' ? listedIds(ids) : null;
  const unmatched = new Set(listed);
  const count = withWriter(folder, (writer) =>
    removeFrom(
      writer,
      {
        ...(typeof portion === 'string' && { portion }),
        ...(listed !== null && { ids: listed }),
        ...(typeof notSeenSince === 'string' && { notSeenSince }),
      },
      unmatched,
    ),
  );
  if (unmatched.size > 0) {
    const [first] = unmatched;
    const lines = counted(unmatched.size, 'line', 'lines');
    const verb = unmatched.size === 1 ? 'is' : 'are';
    terminal.say(
      `warning: ${lines} of ${shownValue(ids)} ${verb} not the id or location of a document, first ${shownValue(first)}`,
    );
  }
  if (quiet !== true) {
    terminal.say(`Removed ${counted(count, 'document')}`);
    if (count > 0) terminal.say(`Next:  ${terminal.command} index compact ${folder}   give back their bytes`);
  }
  return EXIT.done;
}

/** Ids or locations in a file, one per line. @throws MinHashError OPTION_INVALID */
function listedIds(file: string): string[] {
  const read = readOptionFile(file, LARGEST_LIST);
  if ('text' in read) return read.text.split(/\r?\n/).filter((line) => line !== '');
  throw new MinHashError({ code: 'OPTION_INVALID', detail: `--ids ${shownValue(file)}: ${read.problem}` });
}

function compacted(folder: string, flags: ParsedFlags, terminal: Terminal): number {
  const manifest = withWriter(folder, (writer) => {
    compact(writer);
    return writer.manifest;
  });
  if (flags.quiet !== true)
    terminal.say(
      `${folder} has ${counted(documentsOf(manifest), 'document')} in ${counted(manifest.segments.length, 'segment')}`,
    );
  return EXIT.done;
}
