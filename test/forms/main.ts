/**
 * `npm run test:forms [-- --records N]`: one corpus in every form that is read gives the same pairs, clusters and drop list,
 * for threads and row chunks, and where a run was killed and resumed. Prints a line for each form and ends with 1 where one
 * differs. What needs a program or a package that is not there is named as not run.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { resultBytes, rowsOf } from '../coordinator/runs/resultFiles.js';
import { bytesLost } from '../faults/comparedResult.js';
import { type CorpusForm, corpusRecords, writeForms } from './forms.js';
import { servedForms } from './servedForms.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const { values } = parseArgs({ options: { records: { type: 'string', default: '50000' } } });

interface Ran {
  readonly code: number | null;
  readonly stderr: string;
  readonly seconds: number;
}

/** Runs the command; with `killAfter` it is killed so many seconds after its start. */
function ran(words: readonly string[], killAfter: number | null = null): Promise<Ran> {
  const start = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const timer = killAfter === null ? null : setTimeout(() => child.kill('SIGKILL'), 1000 * killAfter);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      if (timer !== null) clearTimeout(timer);
      resolve({ code, stderr, seconds: (performance.now() - start) / 1000 });
    });
  });
}

/** What forms have in common: pairs byte for byte; clusters and drop list but for the places, which name files. */
function answerIn(folder: string): string {
  const tables = ['clusters', 'duplicates'].map((table) =>
    rowsOf(folder, table).map(({ place: _, ...row }) => Object.values(row).join('\t')),
  );
  const pairs = Object.entries(resultBytes(folder)).filter(([name]) => name.startsWith('pairs'));
  return JSON.stringify([pairs, tables]);
}

/** Columns blocks of every form differ, so threads and row chunks do, too. */
const SETTINGS = [
  ['--threads', '2'],
  ['--threads', '1', '--shards', '5'],
  ['--threads', '0'],
];

async function problemsOf(
  form: CorpusForm,
  expected: string | null,
  place: string,
): Promise<[string[], string]> {
  const problems: string[] = [];
  const words = (out: string, more: readonly string[]): string[] => [
    ...['run', ...form.args, '--out', join(place, out), '--quiet'],
    ...more,
  ];
  let answer = expected;
  const times: number[] = [];
  for (const [i, setting] of SETTINGS.entries()) {
    const out = `o${i}`;
    const { code, stderr, seconds } = await ran(words(out, setting));
    times.push(seconds);
    if (code !== 0) return [[`${setting.join(' ')}: exit code ${code}: ${stderr.trim()}`], ''];
    const found = answerIn(join(place, out));
    answer ??= found;
    if (found !== answer) problems.push(`${setting.join(' ')}: other pairs, clusters or drop list`);
    if (i > 0 && bytesLost(resultBytes(join(place, 'o0')), join(place, out)) > 0)
      problems.push(`${setting.join(' ')}: other bytes than with 2 threads`);
  }
  const slow = ['--threads', '1', '--checkpoint-after', '0s'];
  let killed = 0;
  for (const share of [0.3, 0.6, 0.85]) {
    const ended = await ran(words('killed', [...slow, '--force']), share * times[1]!);
    if (ended.code === null) killed++;
    const { code, stderr } = await ran(words('killed', [...slow, '--resume']));
    if (code !== 0) problems.push(`resumed: exit code ${code}: ${stderr.trim()}`);
    else if (bytesLost(resultBytes(join(place, 'o0')), join(place, 'killed')) > 0)
      problems.push('resumed: other bytes than undisturbed');
  }
  const pairs = rowsOf(join(place, 'o0'), 'pairs').length;
  return [problems, `${pairs} pairs | ${times[0]!.toFixed(1)} s | killed ${killed} of 3 times`];
}

const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-forms-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const records = corpusRecords(Number(values.records));
const forms = await writeForms(join(folder, 'in'), records);
const served = await servedForms(join(folder, 'in', 'JSON-lines'));
let expected: string | null = null;
let failed = 0;
console.log(`${records.length} records`);
console.log('form | same | pairs | time | resumed');
for (const form of [...forms, ...served.forms]) {
  if (form.missing !== null) {
    console.log(`${form.name} | not run: ${form.missing}`);
    continue;
  }
  const place = mkdtempSync(join(folder, 'out-'));
  const [problems, said] = await problemsOf(form, expected, place);
  expected ??= existsSync(join(place, 'o0')) ? answerIn(join(place, 'o0')) : null;
  console.log(`${form.name} | ${problems.length === 0 ? 'yes' : 'NO'} | ${said}`);
  for (const problem of problems) console.log(`    ${problem}`);
  if (problems.length > 0) failed++;
  rmSync(place, { recursive: true });
}
await served.close();
console.log(failed === 0 ? 'all the same' : `${failed} differ`);
process.exitCode = failed === 0 ? 0 : 1;
