/**
 * Runs that are killed, and runs whose disk gets full, in each stage of each recipe: in memory, and every job that
 * src/tasks/stream/stages.ts has. Afterwards `--resume` gives the bytes of an undisturbed run. A stage is met because its own
 * progress, or a call to the file system that follows it, is the moment; one that no form below has is a fault.
 */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../../src/options/check.js';
import { STAGES } from '../../src/tasks/stream/stages.js';
import {
  type KillWish,
  killedRun,
  momentsOf,
  PROGRAM,
  READS_AGAIN,
} from '../coordinator/resume/killedRun.js';
import { resultBytes } from '../coordinator/runs/resultFiles.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';
import { type Bytes, bytesLost } from './comparedResult.js';
import { mayMount, onFullDisk, placesOf } from './fullDisk.js';
import type { FaultResult } from './main.js';
import { MAIN, watchedRun } from './watchedRun.js';

const MOST_SECONDS = 120;

/** Lines of near copies of one page, some of copies; ids and values of a field repeat. */
function copiesOf(count: number): string[] {
  const random = randomFrom(5);
  const texts = [wordsFrom(random, 60)];
  while (texts.length < count) {
    const from = texts[random() < 0.8 ? 0 : Math.floor(random() * texts.length)]!;
    texts.push(random() < 0.1 ? wordsFrom(random, 40) : edited(random, from, Math.floor(random() * 7)));
  }
  return texts.map((words, i) =>
    JSON.stringify({ id: `d${(i * 7919) % (count - 10)}`, of: `${i % 3}`, text: words.join(' ') }),
  );
}

/** Files below the place: two of lines, the same as lines of sets, two large texts, decisions. */
function writeCorpora(place: string): void {
  const lines = copiesOf(700);
  const words = (line: string): string[] => (JSON.parse(line) as { text: string }).text.split(' ');
  const rows = lines.flatMap((line, i) => words(line).map((word) => `d${i}\t${word}\n`));
  const large = Array.from({ length: 300_000 }, (_, i) => `w${i}`).join(' ');
  const files = {
    'lines/a.jsonl': lines.slice(0, 350).join('\n'),
    'lines/b.jsonl': lines.slice(350).join('\n'),
    'sets/s.tsv': rows.join(''),
    'large/a.txt': large,
    'large/b.txt': `${large} end`,
    'decisions.tsv': 'decision\tdocument\tother\nboth\ta.jsonl#1\ta.jsonl#2\n',
  };
  for (const folder of ['lines', 'sets', 'large', 'changed'])
    mkdirSync(join(place, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
}

/** Texts of which the first is to be changed between two readings, as they are before. */
function writeChanging(place: string): string {
  const random = randomFrom(8);
  const page = wordsFrom(random, 90);
  for (const name of ['a', 'b', 'c', 'd'])
    writeFileSync(join(place, 'changed', `${name}.txt`), edited(random, page, 2).join(' '));
  const first = join(place, 'changed/a.txt');
  // A date that can be set again: files have parts of milliseconds.
  utimesSync(first, 1e9, 1e9);
  return first;
}

/** How a run is made, so that it has stages which others have not. */
interface Form {
  readonly name: string;
  /** Below the place; default: `lines`. */
  readonly path?: string;
  readonly options: RunOptions;
  /** Components are found by stars. */
  readonly byStars?: true;
  readonly changes?: true;
  /** Below the place. */
  readonly decisions?: string;
}

const SAMPLES: RunOptions = { sketch: 'mod-m', modulus: 2, hotBucket: 4, keep: 'last' };
const IN_MEMORY: readonly Form[] = [
  { name: 'near copies', options: { threshold: 0.6, idField: 'id' } },
  { name: 'hot buckets in 16 row chunks', options: { hotBucket: 8, shards: 16 } },
  { name: 'samples', options: SAMPLES },
  { name: 'lines of sets', path: 'sets', options: { input: 'sets', threshold: 0.6 } },
];
const SORTED: readonly Form[] = [
  { name: 'near copies', options: { threshold: 0.6, idField: 'id' } },
  { name: 'hot buckets', options: { hotBucket: 8, idField: 'id' } },
  { name: 'the longest stay', options: { hotBucket: 4, protect: ['b.jsonl'], keep: ['longest', 'id'] } },
  {
    name: 'groups',
    options: { hotBucket: 4, threshold: 0.6, groupField: 'of', verify: 'signature', keep: 'longest' },
  },
  { name: 'samples', options: SAMPLES },
  {
    name: 'containment',
    options: { measure: 'containment', modulus: 1, hotBucket: 3, protect: ['b.jsonl'] },
  },
  { name: 'lines of sets', path: 'sets', options: { input: 'sets', threshold: 0.6 } },
  { name: 'decisions', options: {}, decisions: 'decisions.tsv' },
  { name: 'sets in ranges of hashes', path: 'large', options: { threshold: 0.6 } },
  { name: 'stars', options: { threshold: 0.6 }, byStars: true },
  { name: 'a text that changes', path: 'changed', options: { threshold: 0.5 }, changes: true },
];
const RECIPES = { threads: IN_MEMORY, disk: SORTED } as const;
type RecipeName = keyof typeof RECIPES;
const NAMES: Readonly<Record<RecipeName, string>> = {
  threads: 'every stage in memory',
  disk: 'every stage sorted on the disk',
};
/** Of each stage of a form: a stage in memory is long, and what follows a moment of it differs. */
const TIMES: Readonly<Record<RecipeName, number>> = { threads: 2, disk: 1 };
/** Stages that some form must have. */
const ASKED: Readonly<Record<RecipeName, readonly string[]>> = {
  threads: ['sketch', 'bands', 'fingerprints', 'verify', 'write'],
  disk: [...Object.keys(STAGES), 'write'],
};
const STARS = 'MR_MINHASH_STARS';
/** Of the file system that is filled. */
const DISK_BYTES = 160e6;

/** How often each stage was met. */
interface Met {
  kills: number;
  full: number;
}

/** Kills and fills runs of one form in each of its stages that no form before met; in memory in all. */
class FormFaults {
  readonly faults: string[] = [];
  injected = 0;
  lost = 0;
  peakBytes = 0;
  readonly #place: string;
  readonly #engine: RecipeName;
  readonly #form: Form;
  readonly #asked: RunOptions;
  readonly #random = randomFrom(17);
  #expected: Bytes = {};

  constructor(place: string, engine: RecipeName, form: Form) {
    this.#place = place;
    this.#engine = engine;
    this.#form = form;
    const { path = 'lines', decisions, options } = form;
    const decided = decisions === undefined ? {} : { decisions: join(place, decisions) };
    this.#asked = { paths: [join(place, path)], engine, ...decided, ...options };
  }

  async run(met: Map<string, Met>): Promise<void> {
    const whole = { ...this.#asked, out: join(this.#place, 'whole'), force: true };
    const moments = await momentsOf({ ...whole, threads: 0 }, 'any', this.#changing());
    this.#expected = resultBytes(whole.out);
    const isDisk = this.#engine === 'disk';
    const all = [...moments.keys()].filter((stage) => stage !== 'start');
    // A run killed before the text changes is taken up by one in which it never does.
    const stages = this.#form.changes ? all.slice(all.findIndex((stage) => READS_AGAIN.test(stage))) : all;
    const before = new Set(met.keys());
    const begun = new Set<string>();
    for (const stage of stages) {
      // Of a job: 007-hotPairs, 031-memberPairs-round-2.
      const name = stage.replace(/^\d+-(\w+).*/, '$1');
      if (isDisk && (before.has(name) || begun.has(name))) continue;
      begun.add(name);
      const counts = met.get(name) ?? { kills: 0, full: 0 };
      met.set(name, counts);
      for (let time = 0; time < TIMES[this.#engine]; time++) {
        const nth = 1 + Math.floor((moments.get(stage)! * (time + this.#random())) / TIMES[this.#engine]);
        // Workers beside: the second moment of a job comes when its first task has ended.
        counts.kills += await this.#killed(stage, nth, 0);
        counts.kills += await this.#killed(stage, isDisk ? 2 : 1, 2);
        counts.full += this.#full(stage, nth, 0);
        counts.full += this.#full(stage, 1, 2);
      }
    }
  }

  /** Gives the file that changes its words before, if one does. */
  #changing(): string | undefined {
    return this.#form.changes && writeChanging(this.#place);
  }

  async #killed(stage: string, nth: number, threads: number): Promise<number> {
    const out = join(this.#place, 'out');
    rmSync(out, { recursive: true, force: true });
    const { code, said } = await killedRun({ ...this.#asked, threads, out }, stage, nth, this.#changing());
    const where = `killed in ${stage}, moment ${nth}, ${threads} threads, ${said}`;
    // Logs are synced by the clock: a quicker run may have fewer moments, and ends.
    if (code !== null && code !== 0) this.faults.push(`${where}: ended with ${code}`);
    const again = await watchedRun([...this.#resume(threads), '--out', out], MOST_SECONDS);
    if (again.code !== 0) this.faults.push(`${where}: ${again.stderr}`);
    this.peakBytes = Math.max(this.peakBytes, again.peakBytes);
    this.#compare(out, where);
    return code === null ? 1 : 0;
  }

  /** The attempts need not have as many workers. */
  #resume(threads: number): string[] {
    const { paths, ...options } = this.#asked;
    return ['run', '--resume', '--engine', String(options.engine), '--threads', threads === 0 ? '2' : '0'];
  }

  #full(stage: string, nth: number, threads: number): number {
    if (!mayMount()) return 0;
    const { out, filler, copy } = placesOf(this.#place);
    const changes = this.#changing();
    const options = { ...this.#asked, threads, out };
    const wish: KillWish = { options, kind: stage, nth, fills: filler, ...(changes && { changes }) };
    const again = `"$NODE" "$MAIN" ${this.#resume(threads).join(' ')} --out "$DISK/out"`;
    const variables = { MAIN, PROGRAM, WISH: JSON.stringify(wish) };
    const commands = ['"$NODE" "$PROGRAM" "$WISH"', again] as const;
    const { code, stderr } = onFullDisk(this.#place, DISK_BYTES, commands, variables);
    const where = `full in ${stage}, moment ${nth}, ${threads} threads`;
    const ended = /^DISK_FULL in (\S+)$/m.exec(stderr)?.[1];
    // Where nothing is written from that moment on, the next stage is the first to tell, or none after the last one.
    const isDone = code === '0' && stage === 'write';
    if (!isDone && (code !== '1' || ended === undefined || /^left /m.test(stderr)))
      this.faults.push(`${where}: ended with ${code}: ${stderr}`);
    if (/^again /m.test(stderr)) this.faults.push(`${where}: ${stderr}`);
    this.#compare(copy, where);
    return ended !== undefined && (this.#engine === 'threads' || ended === stage) ? 1 : 0;
  }

  #compare(folder: string, where: string): void {
    this.injected++;
    const lost = bytesLost(this.#expected, folder);
    if (lost > 0) this.faults.push(`${where}: other bytes`);
    this.lost += lost;
  }
}

const nameOf = (engine: RecipeName, form: Form): string => `${NAMES[engine]}: ${form.name}`;

async function* ofRecipe(
  place: string,
  engine: RecipeName,
  forms: readonly Form[],
): AsyncGenerator<FaultResult> {
  const met = new Map<string, Met>();
  for (const form of forms) {
    const start = performance.now();
    const before = met.size;
    const made = new FormFaults(place, engine, form);
    process.env[STARS] = form.byStars ? '1' : '';
    await made.run(met);
    const { injected, lost: bytesLost, peakBytes, faults } = made;
    const said = `${met.size - before} stages that no form before has`;
    const seconds = (performance.now() - start) / 1000;
    yield { name: nameOf(engine, form), injected, bytesLost, peakBytes, seconds, said, faults };
  }
  process.env[STARS] = '';
  const needs = mayMount() ? (['kills', 'full'] as const) : (['kills'] as const);
  const asked = forms.length < RECIPES[engine].length ? [] : ASKED[engine];
  const faults = asked.flatMap((stage) =>
    needs.filter((what) => (met.get(stage)?.[what] ?? 0) === 0).map((what) => `${stage}: no ${what}`),
  );
  const rows = [...met].map(([stage, { kills, full }]) => `    ${stage} | ${kills} | ${full}`);
  const table = ['    stage | kills | full disks', ...rows];
  const said = `${met.size} stages`;
  yield { name: NAMES[engine], peakBytes: 0, seconds: 0, said, faults, table };
}

/** The forms of both recipes whose names hold `only`; where that is all of a recipe, a stage that was not met is a fault. */
export async function* stageFaults(place: string, only: string): AsyncGenerator<FaultResult> {
  for (const engine of Object.keys(RECIPES) as RecipeName[]) {
    const forms = RECIPES[engine].filter((form) => nameOf(engine, form).includes(only));
    if (forms.length === 0) continue;
    try {
      writeCorpora(place);
      yield* ofRecipe(place, engine, forms);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  }
}
