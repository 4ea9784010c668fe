/**
 * What does an index cost: making, growing, opening, querying, filtering?
 *
 *     node dist/benchmarks/index.js --records FILE [--portions 10] [--queries 2000]
 *
 * FILE holds JSON lines with a text. The built command as a process, page cache warm. Answers are checked first: portions
 * together answer as one index of all records, and a filter passes what a filter against the records passes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openIndex } from '../src/index.js';
import { countOf, WrongUse } from './measure/plainErrors.js';
import { type Measured, measured } from './measure/process.js';
import { COMMAND } from './measure/product.js';

const { values } = parseArgs({
  options: {
    records: { type: 'string' },
    portions: { type: 'string', default: '10' },
    queries: { type: 'string', default: '2000' },
    /** Of the benchmark itself: opens an index in a process of its own. */
    open: { type: 'string' },
  },
});

/** Opens an index and looks texts up, in this process; prints what it took as JSON. */
async function opened(folder: string, texts: readonly string[]): Promise<void> {
  const start = performance.now();
  const index = await openIndex(folder);
  const documents = index.documents;
  const opening = performance.now() - start;
  const openedBytes = process.memoryUsage.rss();
  for (const text of texts.slice(0, 100)) await index.query(text);
  const times = new Float64Array(texts.length);
  const before = process.cpuUsage();
  for (const [i, text] of texts.entries()) {
    const begun = performance.now();
    await index.query(text);
    times[i] = performance.now() - begun;
  }
  const { user, system } = process.cpuUsage(before);
  times.sort();
  const facts = {
    ...{ documents, opening, openedBytes, p95: times[Math.floor(0.95 * times.length)] },
    ...{ cpuOfQuery: (user + system) / 1000 / texts.length, bytes: process.memoryUsage.rss() },
  };
  process.stdout.write(JSON.stringify(facts));
}

if (values.open !== undefined) {
  await opened(
    values.open,
    JSON.parse(readFileSync(join(values.open, '..', 'queries.json'), 'utf8')) as string[],
  );
  process.exit(0);
}

const { records } = values;
if (records === undefined) throw new WrongUse('--records FILE is needed: JSON lines with a text');
const portions = countOf('--portions', values.portions);
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const lines = readFileSync(records, 'utf8').trimEnd().split('\n');
const size = Math.ceil(lines.length / portions);
for (let i = 0; i < portions; i++)
  writeFileSync(join(folder, `p${i}.jsonl`), `${lines.slice(i * size, (i + 1) * size).join('\n')}\n`);
const some = lines.filter((_, i) => i % Math.ceil(lines.length / countOf('--queries', values.queries)) === 0);
const textOf = (line: string): string => (JSON.parse(line) as { readonly text: string }).text;
writeFileSync(join(folder, 'queries.json'), JSON.stringify(some.map(textOf)));
writeFileSync(join(folder, 'some.jsonl'), `${lines.slice(0, 20_000).join('\n')}\n`);

async function run(title: string, command: string): Promise<Measured> {
  const done = await measured('/bin/sh', ['-c', `cd '${folder}' && ${command}`], { timeout: 7200 });
  if (done.code !== 0) throw new Error(`${title} ended with ${done.code}: ${done.stderr}`);
  const { wall, cpu, peakBytes } = done;
  console.log(
    `${title} | ${cpu.toFixed(1)} s CPU | ${wall.toFixed(1)} s | ${(peakBytes / 1e6).toFixed(0)} MB`,
  );
  return done;
}

function bytesIn(path: string, isWanted: (name: string) => boolean): number {
  return readdirSync(join(folder, path), { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .reduce((sum, name) => sum + statSync(join(folder, path, name)).size, 0);
}

const program = `'${process.execPath}' '${COMMAND}'`;
console.log(`${new Date().toISOString().slice(0, 10)}, ${lines.length} records, Node ${process.version}`);
await run('run', `exec ${program} run '${records}' --quiet --out result`);
await run(
  'index create, all at once',
  `${program} index create whole 2>&1 && exec ${program} index add whole '${records}' --portion all --quiet`,
);
const adds = Array.from(
  { length: portions },
  (_, i) => `${program} index add grown p${i}.jsonl --portion p${i} --quiet`,
);
await run(`index of ${portions} portions`, `${program} index create grown 2>&1 && ${adds.join(' && ')}`);
const answersOf = async (index: string): Promise<string> => {
  const handle = await openIndex(join(folder, index));
  const answers: unknown[] = [];
  for (const line of some.slice(0, 200)) answers.push(await handle.query(textOf(line), { top: 100 }));
  await handle.close();
  return JSON.stringify(answers).replace(/"location":"[^"]*","portion":"[^"]*",/g, '');
};
if ((await answersOf('whole')) !== (await answersOf('grown'))) throw new Error('portions answer differently');
await run('filter --index', `exec ${program} filter --index whole --quiet < some.jsonl > indexed.jsonl`);
await run(
  'filter --against',
  `exec ${program} filter --against '${records}' --memory 8GB --quiet < some.jsonl > against.jsonl`,
);
if (!readFileSync(join(folder, 'indexed.jsonl')).equals(readFileSync(join(folder, 'against.jsonl'))))
  throw new Error('the filters pass different records');
const facts = execFileSync(process.execPath, [process.argv[1]!, '--open', join(folder, 'whole')], {
  encoding: 'utf8',
});
const { documents, opening, openedBytes, p95, cpuOfQuery, bytes } = JSON.parse(facts) as Record<
  string,
  number
>;
const megabytes = (count: number): string => `${(count / 1e6).toFixed(0)} MB`;
console.log(`opening | ${opening!.toFixed(0)} ms | ${megabytes(openedBytes!)}`);
console.log(`a query | ${cpuOfQuery!.toFixed(2)} ms CPU | p95 ${p95!.toFixed(2)} ms | ${megabytes(bytes!)}`);
const isSet = (name: string): boolean => name.endsWith('sets');
const [sets, others] = [bytesIn('whole', isSet), bytesIn('whole', (name) => !isSet(name))];
console.log(
  `bytes per document | ${(others / documents!).toFixed(0)} | with sets ${((others + sets) / documents!).toFixed(0)}`,
);
