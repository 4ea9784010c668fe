/** Random small corpora with random options, for runs on threads and on engines that sort: the disk, or a process that stands for a cluster. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import type { Report } from '../../../src/output/report.js';
import { prepared as preparedFiles } from '../runs/finished.js';
import { type ClusterShape, filesOf, preparedRun, runInProcess, runOnDisk } from './comparedFolders.js';
import { copiedLines, headedLines, type SmallFiles, smallLines, smallTexts } from './smallCorpora.js';

/** What the PATHs are: the folder, each file, or every second file, with the others as a reference. */
type Placed = 'folder' | 'files' | 'against';

const SHAPE: ClusterShape = { mappers: 3, reducers: 4, byStars: false, splitLines: 7, givesRows: false };

/** What came of a run: its report, or what ended it. */
async function orFault(made: Promise<Report>): Promise<Report | MinHashError> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof MinHashError) return error;
    throw error;
  }
}

/** Runs both, and compares folders and reports. Gives the code of the fault that ends both; null: none does. */
export async function sameAnswer(
  t: ExecutionContext,
  files: SmallFiles,
  options: RunOptions = {},
  shape: Partial<ClusterShape> = {},
  placed: Placed = 'folder',
): Promise<string | null> {
  const { folder, inputs, options: whole } = preparedFiles(t, files);
  // In another order than that of ids.
  const names = Object.keys(files).sort((x, y) => (basename(x) < basename(y) ? 1 : -1));
  const several = names.map((name) => join(inputs, name)).filter((path) => existsSync(path));
  const against = placed === 'against' ? several.filter((_, i) => i % 2 === 1) : [];
  const paths = placed === 'folder' ? whole.paths : several.filter((path) => !against.includes(path));
  const places = { ...whole, paths, ...(against.length > 0 && { against }) };
  const expected = await orFault(run({ threads: 0, ...places, ...options }));
  const prepared = await preparedRun({ ...places, ...options, out: join(folder, 'sorted') });
  const sorting = { ...SHAPE, ...shape };
  const report = await orFault(
    sorting.givesRows ? runInProcess(prepared, sorting) : runOnDisk(prepared, sorting, join(folder, 'work')),
  );
  if (expected instanceof MinHashError || report instanceof MinHashError) {
    t.is((report as MinHashError).message, (expected as MinHashError).message);
    return (expected as MinHashError).code;
  }
  t.deepEqual(filesOf(join(folder, 'sorted')), filesOf(join(folder, 'out')));
  const { out, stages, elapsedMilliseconds, ...told } = report;
  t.like(expected, told);
  return null;
}

interface RandomCase {
  readonly files: SmallFiles;
  readonly options: RunOptions;
  readonly shape: ClusterShape;
  readonly placed: Placed;
}

/** Which of copies stays, by all that can decide it; by containment sizes do, but of protected ones. */
export function randomOrder(
  random: () => number,
  files: SmallFiles,
  hasFields: boolean,
  measure: RunOptions['measure'] = 'resemblance',
): RunOptions {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const rules = ['last', 'longest', 'shortest', 'newest', 'oldest', 'id', 'first'];
  const ofFields = ['field:id', 'field:id:asc', 'field:id:n7,n14,n21', 'field:text:asc'];
  const plain = Object.keys(files).flatMap((name) => {
    const [, last] = /^(?:.*\/)?([\w.]+)$/.exec(name) ?? [];
    return last === undefined ? [] : [`**/${last}`];
  });
  if (measure === 'containment') return { protect: [one(...plain, '**')] };
  const rule = (): string => one(...rules, ...(hasFields ? ofFields : []));
  return {
    keep: random() < 0.5 ? [rule()] : [rule(), rule()],
    ...(random() < 0.4 && { prefer: one(['b.jsonl'], ['0/**', '*.jsonl'], ['no.such']) }),
    ...(random() < 0.4 && { protect: [one(...plain, '**')] }),
  };
}

/** The same corpus and options with groups of documents, and some near copies of one page that lie in several of them. */
export function withGroups(random: () => number, { files, options, ...rest }: RandomCase): RandomCase {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const lines = String(copiedLines(30 + Math.floor(random() * 60))['copies.jsonl']).split('\n');
  const copies: SmallFiles = {
    'q.jsonl': lines.filter((_, i) => i % 3 > 0).join('\n'),
    '0/r.jsonl': lines.filter((_, i) => i % 3 === 0).join('\n'),
  };
  const all = random() < 0.5 ? { ...files, ...copies } : files;
  const valued = (content: string | Uint8Array): string | Uint8Array =>
    typeof content === 'string'
      ? content.replace(/^\{/gm, () =>
          one('{', '{"of": 7, ', '{"of": "7", ', '{"of": "", ', '{"of": "b\\u0000", '),
        )
      : content;
  const isLines = Object.keys(all).every((name) => !name.endsWith('.txt'));
  const by = one('against', 'path', ...(isLines ? ['field', 'field'] : []));
  if (by === 'against') return { files: all, options, ...rest, placed: 'against' };
  if (by === 'path') {
    const groupBy = one('path:1', 'path:2') as 'path:1' | 'path:2';
    return { files: all, options: { ...options, groupBy }, ...rest };
  }
  const ofField = Object.fromEntries(Object.entries(all).map(([name, content]) => [name, valued(content)]));
  return { files: ofField, options: { ...options, groupField: 'of' }, ...rest };
}

/** The options with random decisions about pairs of the result that threads have without them. */
export async function withDecisions(
  t: ExecutionContext,
  random: () => number,
  files: SmallFiles,
  options: RunOptions,
): Promise<RunOptions> {
  const { folder, options: whole } = preparedFiles(t, files);
  if ((await orFault(run({ threads: 0, ...whole, ...options }))) instanceof MinHashError) return options;
  const pairs = readFileSync(join(whole.out, 'pairs/part-00000.tsv'), 'latin1')
    .trimEnd()
    .split('\n')
    .slice(1);
  const decided = new Set<string>();
  const isNew = (id: string): boolean => !decided.has(id) && decided.add(id) !== undefined;
  // What is decided to stay is protected, so that decisions to go change nothing near it.
  const keeps = random() < 0.5 ? 0 : 0.2;
  const share = Math.min(0.5, 20 / (pairs.length + 1));
  const lines = pairs.flatMap((pair) => {
    if (random() > share) return [];
    const [a = '', b = ''] = random() < 0.5 ? pair.split('\t') : pair.split('\t').slice(0, 2).reverse();
    const kind = random();
    if (kind < 0.4) return [`both\t${a}\t${b}`];
    if (!isNew(a) || !isNew(b)) return [];
    return [kind < 0.4 + keeps ? `keep\t${a}\t${b}` : kind < 0.85 ? `drop\t${a}` : `lose\t${b}`];
  });
  const decisions = join(folder, 'decisions.tsv');
  const all = ['decision\tdocument\tother', ...lines, 'drop\tno such document'];
  writeFileSync(decisions, Buffer.from(all.join('\n'), 'latin1'));
  return { ...options, decisions };
}

/** The same corpus with texts of several lines and paragraphs, those of copies at the same words. */
export function cutAtWords(files: SmallFiles): SmallFiles {
  const cut = (content: string, feed: string): string =>
    content
      .replace(/(?<=[a-z]) (?=[c-e])/g, feed)
      .replace(/(?<=[a-z]) (?=[f-h])/g, feed + feed)
      .replace(/(?<=[a-z]) (?=m)/g, `${feed}  ${feed}`);
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => [
      name,
      typeof content === 'string' ? cut(content, name.endsWith('.txt') ? '\n' : '\\n') : content,
    ]),
  );
}

/** The same corpus and options with units of documents, and often with fewer tokens in each. */
export function withUnits(random: () => number, { files, options, ...rest }: RandomCase): RandomCase {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const shingle = one('words:1', 'words:2', 'words:2', 'chars:5');
  const asked: RunOptions = { ...options, shingle, unit: one('paragraph', 'line') };
  return { files: cutAtWords(files), options: asked, ...rest };
}

/** Lines of sets, in any order and several files, of which most sets are near others; a few lines are wrong; and how sets are compared. */
export function setsCase(random: () => number): RandomCase {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const separator = one('\t', ',');
  const rated = random() < 0.4;
  const count = 3 + Math.floor(random() * 60);
  const lines = Array.from({ length: count }, (_, set) => {
    const group = one(set, set % 7, set % 3);
    const size = one(0, 3, 12, 40);
    const name = one(`s${set}`, `set ${set} of a long name, so that it is hashed by words`, `é${set}`);
    const told = Array.from({ length: size }, (_, i) => {
      const element = random() < 0.06 ? `own ${set}-${i}` : `e${group}-${i}`;
      const weight = rated ? one('1', '2', '4', '5') : one('', '1', '2', '0', '1.6', '70000');
      return [name.replace(',', ''), element, weight].slice(0, weight === '' ? 2 : 3).join(separator);
    });
    return random() < 0.05 ? [...told, `${name.replace(',', '')}${separator}x${separator}-1`] : told;
  }).flat();
  for (let i = lines.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [lines[i], lines[other]] = [lines[other]!, lines[i]!];
  }
  const end = separator === ',' ? 'csv' : 'tsv';
  const named = random() < 0.3;
  // An engine that reads files itself has no first line of each, unpacks them, and refuses binary ones.
  const givesRows = !named && random() < 0.6;
  const partOf = (part: number): string =>
    [
      ...(named ? [['a', 'b', 'c'].join(separator)] : []),
      ...lines.filter((_, i) => i % 3 === part),
      '',
      '',
    ].join('\n');
  const files: SmallFiles = {
    [`a.${end}`]: partOf(0),
    ...(givesRows ? { [`deep/b.${end}`]: partOf(1) } : { [`deep/b.${end}.gz`]: gzipSync(partOf(1)) }),
    [`c.${end}`]: partOf(2),
    ...(random() < 0.2 && { [`d.${end}`]: 'other\tfields,here\n' }),
    ...(!givesRows && random() < 0.2 && { [`e.${end}`]: Buffer.from('PK\x03\x04\0\0\0') }),
  };
  const options: RunOptions = {
    ...{ input: 'sets', verify: one('exact', 'exact', 'signature'), threshold: one(0.5, 0.7) },
    ...{ hashes: one(64, 128), seed: one(1, 9), expandIdentical: one(true, false) },
    ...(named && { columns: one('a,b,c', 'b,a,c') }),
    ...(rated ? { ratings: one('liked', 'liked-hated', 'stars') } : { bag: one(true, false) }),
    ...(random() < 0.2 && { maxDocument: 90 }),
    ...(random() < 0.3 && { hotBucket: one(2, 4) }),
    ...(random() < 0.2 && { sample: 2 }),
  };
  const shape: ClusterShape = {
    ...{ mappers: one(1, 3), reducers: one(1, 4), byStars: one(true, false) },
    ...{ splitLines: one(1, 5, 1000), givesRows },
  };
  const asked = random() < 0.1 ? ofElements(options) : random() < 0.3 ? ofSamples(random, options) : options;
  return { files, options: asked, shape, placed: random() < 0.4 ? 'files' : 'folder' };
}

/** Samples of sets, and containment; without weights, for each copy of an element is a fingerprint, and one weight is 70,000. */
function ofSamples(random: () => number, { hashes, sample: _, bag, ...rest }: RunOptions): RunOptions {
  const others = bag === undefined ? rest : { ...rest, bag: false };
  const verify = random() < 0.8 ? 'exact' : 'none';
  return random() < 0.3
    ? { ...others, hashes: hashes!, sketch: 'min-s' }
    : {
        ...others,
        verify,
        modulus: random() < 0.5 ? 1 : 2,
        ...(random() < 0.5 ? { measure: 'containment' } : { sketch: 'mod-m' }),
      };
}

/** Sets with the same elements alone. */
function ofElements({ input, columns, ratings, seed, expandIdentical }: RunOptions): RunOptions {
  const rated = { ...(columns && { columns }), ...(ratings && { ratings }) };
  return { ...{ input, seed, expandIdentical, exactDuplicates: true }, ...rated } as RunOptions;
}

/** The same corpus and options with samples of fingerprints in the place of signatures, and texts that share headers. */
export function withSamples(random: () => number, { files, options, ...rest }: RandomCase): RandomCase {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const { hashes, bands: _bands, rows: _rows, sample: _sample, sketch: _sketch, ...rare } = options;
  const { maxShingleDocuments: _most, ...others } = rare;
  const sampled = one<RunOptions>(
    { sketch: 'min-s', hashes: hashes ?? 128 },
    { sketch: 'mod-m', modulus: one(1, 2, 4) },
    { method: 'sswf' },
    { measure: 'containment', modulus: one(1, 2, 4), verify: one('exact', 'exact', 'none') },
  );
  const headed = headedLines(Math.floor(random() * 1000), 20 + Math.floor(random() * 120));
  const all = random() < 0.8 ? { ...files, ...headed } : files;
  return {
    files: all,
    options: { ...others, hotBucket: one(2, 2, 3, 5, 12), ...sampled, threshold: one(0.8, 0.6, 0.5) },
    ...rest,
  };
}

export function randomCase(random: () => number, seed: number): RandomCase {
  const one = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const isNamed = random() < 0.5;
  const count = 2 + Math.floor(random() * 70);
  const isTexts = random() < 0.25;
  const options: RunOptions = {
    ...{ verify: one('exact', 'exact', 'signature', 'none') },
    ...{ threshold: one(0.8, 0.6, 0.9), sketch: one('fss', 'classic'), seed: one(1, 2, 77) },
    ...{
      shingle: one('words:5', 'words:5', 'words:1', 'chars:9', 'bytes:12', 'lines:1', 'stopwords:2'),
      bag: one(true, false),
    },
    ...{ expandIdentical: one(true, false), hashes: one(64, 128) },
    ...(isNamed && { idField: 'id' }),
    ...(random() < 0.2 && { maxDocument: 350 }),
    ...(random() < 0.3 && { minTokens: one(1, 9, 40) }),
    ...(random() < 0.2 && { exclude: ['b.jsonl', '0/**'] }),
    ...(random() < 0.3 && { bands: 16, rows: 3 }),
    ...(random() < 0.3 && { bands: 3, rows: 3 }),
    ...(random() < 0.4 && { hotBucket: one(2, 4, 16, 40) }),
    ...(random() < 0.2 && { sample: one(2, 30) }),
  };
  const shape: ClusterShape = {
    ...{ mappers: one(1, 2, 5), reducers: one(1, 3, 8), byStars: one(true, false) },
    ...{ splitLines: one(1, 5, 1000), givesRows: random() < 0.3 },
    ...(seed % 3 === 0 && { rangeHashes: one(3, 20, 90) }),
  };
  // Shingles are counted by this program, which must read the files.
  const rare = !shape.givesRows && random() < 0.15 ? { maxShingleDocuments: one(2, 5, 30) } : {};
  const texts = isTexts ? smallTexts(seed, count) : smallLines(seed, count, isNamed);
  const files = random() < 0.3 ? { ...texts, ...copiedLines(count) } : texts;
  return { files, options: { ...options, ...rare }, shape, placed: random() < 0.4 ? 'files' : 'folder' };
}
