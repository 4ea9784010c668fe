/**
 * What do other tools cost for the same work, and what do they find?
 *
 *      node dist/benchmarks/rivals.js --corpus PATH [--runs 5] [--seconds 150] [--timeout 1800] [--threshold 0.8]
 *          [--sample N] [--threads 2] [--tools a,b] [--work FOLDER] [--out FOLDER] [--name rivals] [-- our flags]
 *      node dist/benchmarks/rivals.js --install [--tools a,b] [--work FOLDER]
 *
 * PATH: a folder of texts, or a file of JSON lines with id and text. All tools get the same words (rivals/prepared.ts)
 * and 20 bands of 5 rows (100 hashes; ours 128). Their answers are scored against exact truth (rivals/truth.ts) before
 * a time is printed; with `--sample N` against the truth of N documents. Tools run in turn as whole processes,
 * `--runs` times or as often as fits into `--seconds`, at least once. A tool that cannot be installed, fails or
 * exceeds the time has a row with the reason.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { countOf, UsageError } from './measure/plainErrors.js';
import { measured } from './measure/process.js';
import { environment, record } from './measure/record.js';
import { type Comparison, comparisonTable } from './rivals/comparison.js';
import { type Prepared, prepare } from './rivals/prepared.js';
import { type Score, score, type Truth } from './rivals/scoring.js';
import { allTools, type Tool } from './rivals/tools.js';
import { exactTruth } from './rivals/truth.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: 'string' },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '150' },
    sample: { type: 'string' },
    name: { type: 'string', default: 'rivals' },
    install: { type: 'boolean', default: false },
    threshold: { type: 'string', default: '0.8' },
    threads: { type: 'string', default: '2' },
    tools: { type: 'string' },
    timeout: { type: 'string', default: '1800' },
    work: { type: 'string', default: join(tmpdir(), 'mr-minhash-rivals') },
    out: { type: 'string' },
  },
});
if (values.corpus === undefined && !values.install)
  throw new UsageError('--corpus PATH is needed: a folder of texts or a file of JSON lines');
const corpus = resolve(values.corpus ?? '');
const threshold = Number(values.threshold);
const work = resolve(values.work);

interface Tried {
  readonly tool: Tool;
  readonly folder: string;
  readonly runs: { readonly wall: number; readonly cpu: number; readonly peakBytes: number }[];
  readonly scores: Score[];
  /** Why there is no result; null if there is one. */
  problem: string | null;
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 160).replaceAll('|', '/');
}

function installed(tool: Tool): Tried {
  const folder = join(work, `${tool.name.replace(/\W+/g, '-')}`);
  mkdirSync(folder, { recursive: true });
  process.stderr.write(`installing ${tool.name}\n`);
  let problem: string | null = null;
  try {
    tool.install(folder);
  } catch (error) {
    const { stderr } = error as { readonly stderr?: Buffer };
    problem = `does not install: ${lastLine(String(stderr ?? error))}`;
  }
  return { tool, folder, runs: [], scores: [], problem };
}

/** How often a tool runs, from the seconds of its first run. */
function runsFor(first: number): number {
  return Math.min(countOf('--runs', values.runs), Math.max(1, Math.floor(Number(values.seconds) / first)));
}

async function runOnce(tried: Tried, prepared: Prepared, truth: Truth): Promise<void> {
  const { tool, folder } = tried;
  const answer = join(work, 'answer');
  rmSync(answer, { recursive: true, force: true });
  const job = { corpus, input: prepared.file, answer, threshold, threads: Number(values.threads) };
  const [command, ...args] = tool.command(job, folder);
  const { wall, cpu, peakBytes, code, timedOut, stderr } = await measured(command, args, {
    timeout: Number(values.timeout),
    cwd: folder,
  });
  process.stderr.write(`${tool.name}: ${wall.toFixed(1)} s\n`);
  if (timedOut) tried.problem = `not done after ${values.timeout} s`;
  else if (code !== 0) tried.problem = `ended with ${code}: ${lastLine(stderr)}`;
  else {
    tried.scores.push(await score(prepared, truth, tool.kind, tool.rows(answer)));
    tried.runs.push({ wall, cpu, peakBytes });
  }
}

const where = environment();
mkdirSync(work, { recursive: true });
const chosen = values.tools?.split(',');
const known = allTools(where.version, positionals);
for (const name of chosen ?? []) {
  if (known.some((tool) => tool.name === name)) continue;
  const names = known.map((tool) => tool.name).filter((one) => !one.startsWith('mr-minhash'));
  throw new UsageError(`--tools ${name}: unknown tool; expected ${names.join(', ')}`);
}
const tools = known.filter(
  ({ name }) => chosen === undefined || name.startsWith('mr-minhash') || chosen.includes(name),
);
const tried = tools.map(installed);
if (values.install) {
  for (const { tool, problem } of tried)
    console.log(`${tool.name} ${tool.version}: ${problem ?? 'installed'}`);
  process.exit(tried.every(({ problem }) => problem === null) ? 0 : 1);
}
const prepared = await prepare(corpus, work);
process.stderr.write(
  `${prepared.ids.length} documents, ${prepared.textBytes} bytes of words; making the truth\n`,
);
const sample = values.sample === undefined ? null : Number(values.sample);
const truth = await exactTruth(prepared, threshold, sample, work);
for (let round = 0; round < countOf('--runs', values.runs); round++) {
  for (const one of tried) {
    const runCount = one.runs.length === 0 ? 1 : runsFor(one.runs[0]!.wall);
    if (one.problem === null && round < runCount) await runOnce(one, prepared, truth);
  }
}

const [base] = tried;
if (base!.problem !== null) throw new Error(`our own run failed: ${base!.problem}`);
if (base!.scores.some(({ pairs }) => pairs !== base!.scores[0]!.pairs))
  throw new Error('our own runs give different results');
const raw: Comparison = {
  ...{ corpus, threshold, threads: Number(values.threads), documents: prepared.ids.length },
  ...{ textBytes: prepared.textBytes, truePairs: truth.near.size, identical: truth.identical },
  sampled: truth.sample?.size ?? null,
  tools: tried.map(({ tool: { name, version, gives }, runs, scores, problem }) => ({
    ...{ name, version, gives, runs, scores, problem },
  })),
};
const question = 'what do other tools cost for the same work, and what do they find?';
record(values.name, question, where, comparisonTable([raw]), raw, values.out);
