/**
 * Generates the inputs of the benchmarks from pinned public packages. The same name, count, seed and pool give the
 * same bytes.
 *
 *      node dist/benchmarks/corpora.js NAME FOLDER [--seed N] [--count N] [--pool debian|npm] [--cache DIR]
 *
 * NAME is one of benchmarks/corpora/kinds.ts. A description with a digest is written to FOLDER.json and printed.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KINDS } from './corpora/kinds.js';
import { DOCUMENTATION, POOLS } from './corpora/packages.js';
import { Pool, poolBytes } from './corpora/pool.js';
import { randomOf } from './corpora/random.js';
import { CorpusWriter } from './corpora/writing.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    pool: { type: 'string', default: 'debian' },
    cache: { type: 'string', default: join(tmpdir(), 'mr-minhash-corpora') },
  },
});

function exitWithUsage(message: string): never {
  const kinds = Object.entries(KINDS).map(([name, { about, count }]) => `  ${name}: ${about} (${count})`);
  console.error(
    `${message}\nusage: corpora NAME FOLDER [--seed N] [--count N] [--pool debian|npm] [--cache DIR]`,
  );
  console.error(kinds.join('\n'));
  process.exit(2);
}

const [name, folder] = positionals;
const kind = name === undefined ? undefined : KINDS[name];
const poolName = values.pool;
if (name === undefined || kind === undefined || folder === undefined)
  exitWithUsage('expected NAME and FOLDER');
if (poolName !== 'debian' && poolName !== 'npm') exitWithUsage(`--pool ${poolName}: expected debian or npm`);
if (existsSync(folder)) exitWithUsage(`${folder} exists`);
const seed = Number(values.seed);
const count = Number(values.count ?? kind.count);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count) || count < 1)
  exitWithUsage('--seed and --count: expected whole numbers, and a count of at least 1');

mkdirSync(folder, { recursive: true });
mkdirSync(values.cache, { recursive: true });
const bytes = kind.pooled ? poolBytes(poolName, values.cache) : Buffer.alloc(0);
const pool = new Pool(bytes, randomOf(seed + 1));
const out = new CorpusWriter(folder);
const copies = kind.make({ count, pool, random: randomOf(seed), out, cache: values.cache });
const sha256 = out.digest();
const packages = kind.pooled ? POOLS[poolName] : DOCUMENTATION;
const summary = {
  ...{
    name,
    seed,
    count,
    pool: kind.pooled ? poolName : null,
    files: out.files,
    bytes: out.bytes,
    copies,
    sha256,
  },
  packages: packages.map((one) => `${one.registry} ${one.name} ${one.version} ${one.sha256}`),
};
writeFileSync(`${folder.replace(/\/+$/, '')}.json`, `${JSON.stringify(summary, null, 1)}\n`);
console.log(JSON.stringify({ ...summary, packages: packages.length }));
