/**
 * The whole recipe on Hadoop in one JVM against worker threads: every file of the result byte for byte, over a corpus with
 * identical, near, short, empty, Chinese and damaged records, and with a hot bucket.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Checks } from './checks.js';

const PROGRAM = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

/** Numbers in [0, 1), the same in every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const CHINESE = '東京都は日本の首都であり世界最大の都市圏の一つである';
const FILES = 3;

/** Makes files of JSON lines in a folder. `hot`: pages with the same frame, which share a bucket. */
export function makeCorpus(folder: string, documents: number, hot: number): void {
  const next = chance(18);
  const below = (limit: number): number => Math.floor(next() * limit);
  const originals: string[][] = [];
  const texts: string[] = [];
  for (let i = 0; i < documents; i++) {
    const kind = next();
    const words =
      originals.length > 0 && kind < 0.35
        ? [...originals[below(originals.length)]!]
        : Array.from({ length: kind < 0.4 ? below(4) : 30 + below(90) }, () => `w${below(900)}`);
    if (kind < 0.15) texts.push(words.join(' '));
    else if (kind < 0.2) texts.push(`${words.join('  ').toUpperCase()}.`);
    else {
      for (let change = below(7); kind < 0.35 && change > 0; change--) words[below(words.length)] = `new${i}`;
      texts.push(words.join(' '));
    }
    if (kind >= 0.4) originals.push(words);
  }
  for (let i = 0; i < 12; i++) texts.push(CHINESE.repeat(2 + (i % 3)) + (i % 4));
  const frame = Array.from({ length: 60 }, (_, i) => `frame${i}`).join(' ');
  for (let i = 0; i < hot; i++)
    texts.push(`${frame}\n\nown${i} ${i % 5 === 0 ? `more${i} and${i} other${i}` : ''}`);
  const lines: string[][] = Array.from({ length: FILES }, () => []);
  for (const [i, text] of texts.entries()) {
    const file = lines[below(FILES)]!;
    // Ids that repeat, and ids that are not there, are places.
    file.push(JSON.stringify(i % 50 === 7 ? { text } : { id: i % 60 === 9 ? 'again' : `d${i}`, text }));
    if (i % 70 === 3) file.push(i % 140 === 3 ? '' : '{"id": "broken", ');
  }
  mkdirSync(folder, { recursive: true });
  lines.forEach((file, i) => {
    writeFileSync(join(folder, `${i}.jsonl`), file.join('\n') + (i === 1 ? '' : '\n'));
  });
}

/** Runs the program; gives its exit code and what it printed. */
export async function program(words: readonly string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, printed: Buffer.concat(printed).toString() };
}

/** The files of a result by name, but the one that tells times. */
export function resultOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'stats.json')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith('.work'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

/** Which files of two results differ. */
export function differences(one: string, other: string): string[] {
  const [mine, theirs] = [resultOf(one), resultOf(other)];
  return [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].filter(
    (name) => mine[name] !== theirs[name],
  );
}

/** The file of decisions, in options without its folder; it is about frames, which are all alike, and about texts of which some are like no other. */
const DECISIONS = 'decisions.tsv';
const DECIDED = [
  'decision\tdocument\tother',
  'both\td312#p1\td313#p1',
  'keep\td320#p1\td314#p1',
  'drop\td315#p1\t',
  ...[1, 2, 3, 4, 5, 6].map((own) => `drop\td${own}#p1\t`),
  'drop\tnone#p1\t',
].join('\n');

const FORMS = [
  {
    name: 'hot buckets, exact',
    words: ['--hot-bucket', '20'],
    has: ['empty', 'hot_buckets', 'ids_repeated'],
  },
  {
    name: 'signatures of units, another sketch, decisions',
    words: [
      ...['--verify', 'signature', '--sketch', 'classic', '--expand-identical'],
      ...['--unit', 'paragraph', '--decisions', DECISIONS],
    ],
    has: ['same_tokens_pairs', 'pairs_told_apart', 'decisions_unknown', 'decisions_unmet'],
  },
  {
    name: 'containment, hot fingerprints of samples, two groups',
    words: [
      ...['--measure', 'containment', '--modulus', '2', '--hot-bucket', '8'],
      ...['--threshold', '0.7', '--protect', '2.jsonl', '--group-by', 'path:1'],
    ],
    has: ['empty', 'hot_buckets', 'groups'],
  },
  {
    name: 'another order of survivors',
    words: ['--hot-bucket', '20', '--keep', 'field:id', '--protect', '2.jsonl'],
    has: ['empty', 'hot_buckets', 'protected_pairs'],
  },
  {
    name: 'pairs of two groups',
    words: ['--hot-bucket', '8', '--group-by', 'path:1'],
    has: ['empty', 'hot_buckets', 'groups'],
  },
  {
    name: 'lines of sets',
    words: ['--input', 'sets', '--bag', '--threshold', '0.5', '--hot-bucket', '4'],
    has: ['empty', 'hot_buckets'],
  },
] as const;

/** Lines of sets in any order, of which many are near others; one file is packed. */
function writeSets(folder: string): void {
  const lines = Array.from({ length: 6000 }, (_, i) => {
    const set = (i * 7919) % 300;
    return set % 50 === 0 ? `s${set}\tnone\t0` : `s${set}\te${set % 9}-${(i * 31) % 23}\t${1 + (set % 2)}`;
  });
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.tsv'), lines.slice(0, 4000).join('\n'));
  writeFileSync(join(folder, 'b.tsv.gz'), gzipSync(`no element\n\n${lines.slice(4000).join('\n')}\n`));
}

export async function testRecipe(folder: string, hadoop: string, checks: Checks): Promise<void> {
  const corpus = join(folder, 'corpus');
  makeCorpus(corpus, 300, 60);
  const decisions = join(folder, DECISIONS);
  writeFileSync(decisions, DECIDED);
  const sets = join(folder, 'sets');
  writeSets(sets);
  for (const [i, { name, words, has }] of FORMS.entries()) {
    const paths = words[1] === 'sets' ? sets : corpus;
    const same = ['run', paths, ...words.map((word) => (word === DECISIONS ? decisions : word)), '--quiet'];
    const [here, there] = [join(folder, `threads-${i}`), join(folder, `hadoop-${i}`)];
    const local = await program([...same, '--out', here]);
    checks.same(`${name}: worker threads`, [local.code, local.printed], [0, '']);
    const far = await program([
      ...same,
      '--out',
      there,
      '--engine',
      'hadoop',
      '--hadoop-command',
      hadoop,
      '--shards',
      '3',
    ]);
    checks.same(`${name}: Hadoop`, [far.code, far.printed], [0, '']);
    checks.same(`${name}: the same files`, far.code === 0 ? differences(here, there) : 'no result', []);
    const { counts } = JSON.parse(readFileSync(join(here, 'manifest.json'), 'utf8')) as {
      counts: Record<string, number>;
    };
    const missing = ['identical_pairs', 'clusters', ...has].filter((one) => !(counts[one]! > 0));
    checks.same(`${name}: the corpus has what it should`, missing, []);
  }
}
