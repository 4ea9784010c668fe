/**
 * How many pairs of records of one person or company does `run` find, with `--preset records` and by default, and how
 * many of the found pairs are right?
 *
 * The truth is labels, not similarities. A pair is found if both records are in a row of the result, or have the words
 * of two that are.
 *
 *      python3 benchmarks/corpora/labelledRecords.py FOLDER
 *      node dist/benchmarks/records.js FOLDER [--out FOLDER]
 */
import './measure/plainErrors.js';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './measure/plainErrors.js';
import { runInto } from './measure/product.js';
import { environment, type Row, record } from './measure/record.js';

const SETTINGS = ['', '--preset records', '--preset records --threshold 0.5', '--shingle words:2'];
const HEADS = [
  'records',
  'options',
  'true pairs',
  'found pairs',
  'recall',
  'precision',
  'dropped',
  'wrongly dropped',
];

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) throw new UsageError('expected the folder that labelledRecords.py wrote');
const where = environment();
const rows: Row[] = [];
for (const name of readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl'))
  .sort()) {
  for (const options of SETTINGS) rows.push(await scored(join(folder, name), options));
}
const question =
  'how many labelled pairs are found by --preset records, and how many of the found ones are right?';
record('records', question, where, { heads: HEADS, rows }, rows, values.out);

function share(part: number, all: number): string {
  return all === 0 ? 'none' : (part / all).toFixed(4);
}

async function scored(file: string, options: string): Promise<Row> {
  const entities = new Map<string, string>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { id, entity } = JSON.parse(line) as { id: string; entity: string };
    entities.set(id, entity);
  }
  const sizes = new Map<string, number>();
  for (const entity of entities.values()) sizes.set(entity, (sizes.get(entity) ?? 0) + 1);
  const truth = [...sizes.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const scratch = mkdtempSync(join(tmpdir(), 'mr-minhash-records-'));
  try {
    const out = join(scratch, 'out');
    await runInto(out, [file, '--id-field', 'id', ...options.split(' ').filter((word) => word !== '')]);
    const found = foundPairs(rowsOf(join(out, 'pairs/part-00000.tsv')));
    const isRight = (a: string, b: string): boolean => entities.get(a) === entities.get(b);
    const right = found.filter(([a, b]) => isRight(a, b)).length;
    const dropped = rowsOf(join(out, 'duplicates.tsv'));
    const wrong = dropped.filter(([document, kept]) => !isRight(document!, kept!)).length;
    const cells = [
      truth,
      found.length,
      share(right, truth),
      share(right, found.length),
      dropped.length,
      wrong,
    ];
    return [basename(file, '.jsonl'), options === '' ? '(default)' : `\`${options}\``, ...cells];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function rowsOf(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1, -1);
  return lines.map((line) => line.split('\t'));
}

/**
 * Every pair of ids once. The result connects n records with the same words by n - 1 rows, and only one of them is in
 * near pairs.
 */
function foundPairs(pairs: readonly string[][]): (readonly [string, string])[] {
  const groups = new Map<string, string[]>();
  const groupOf = (id: string): string[] => groups.get(id) ?? [id];
  for (const [a, b, , , , , kind] of pairs) {
    if (kind === 'near') continue;
    const both = [...new Set([...groupOf(a!), ...groupOf(b!)])];
    for (const id of both) groups.set(id, both);
  }
  const found: (readonly [string, string])[] = [];
  for (const group of new Set(groups.values()))
    for (const [i, a] of group.entries()) for (const b of group.slice(i + 1)) found.push([a, b]);
  for (const [a, b, , , , , kind] of pairs)
    if (kind === 'near') for (const x of groupOf(a!)) for (const y of groupOf(b!)) found.push([x, y]);
  return found;
}
