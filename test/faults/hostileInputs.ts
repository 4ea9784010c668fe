/**
 * Inputs that are too large, too many or too deep for the ordinary tests. Each is made, read by the built command in a
 * process of its own, and removed; its messages and its memory are checked.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { randomFrom, wordsFrom } from '../data/seededTexts.js';
import type { FaultResult } from './main.js';
import { watchedRun } from './watchedRun.js';

interface HostileCase {
  readonly name: string;
  /** Fills the folder. */
  make(folder: string): void;
  readonly options?: readonly string[];
  readonly code: number;
  /** A text that must be in the summary or in skipped.tsv. */
  readonly says: readonly RegExp[];
  /** The most resident memory that is taken for right. */
  readonly megabytes: number;
  readonly seconds: number;
}

const MB = 1e6;
const GB = 1e9;
const PAGE = wordsFrom(randomFrom(11), 150);

/** Writes `bytes` of one piece after the other, the last one cut. */
function writeRepeated(path: string, before: string, piece: string, bytes: number, after: string): void {
  const file = openSync(path, 'w');
  const unit = Buffer.from(piece.repeat(Math.ceil((8 * MB) / piece.length)));
  try {
    writeSync(file, before);
    for (let left = bytes; left > 0; left -= unit.length)
      writeSync(file, unit, 0, Math.min(left, unit.length));
    writeSync(file, after);
  } finally {
    closeSync(file);
  }
}

/** `count` numbers as words on one line: no shingle twice. */
function writeTokens(path: string, count: number, after: string): void {
  const file = openSync(path, 'w');
  try {
    for (let from = 0; from < count; from += 100_000) {
      let piece = '';
      for (let i = from; i < Math.min(count, from + 100_000); i++) piece += `${i.toString(36)} `;
      writeSync(file, piece);
    }
    writeSync(file, after);
  } finally {
    closeSync(file);
  }
}

/** Members that decompress to `bytes` of `piece`, a thousand times their size. */
function writeBomb(path: string, piece: string, bytes: number): void {
  const member = gzipSync(Buffer.from(piece.repeat(Math.ceil((100 * MB) / piece.length))));
  const file = openSync(path, 'w');
  try {
    for (let made = 0; made < bytes; made += 100 * MB) writeSync(file, member);
  } finally {
    closeSync(file);
  }
}

function writeMany(folder: string, count: number, text: (i: number) => string): void {
  for (let i = 0; i < count; i++) {
    const inner = join(folder, `d${Math.floor(i / 10_000)}`);
    if (i % 10_000 === 0) mkdirSync(inner);
    writeFileSync(join(inner, `${i}.txt`), text(i));
  }
}

const OK_LINE = `${JSON.stringify({ id: 'ok', text: PAGE.join(' ') })}\n`;

export const HOSTILE_CASES: readonly HostileCase[] = [
  {
    name: 'a single line of 2 GB as a text',
    make: (folder) => writeRepeated(join(folder, 'a.txt'), '', 'one two three ', 2 * GB, ''),
    code: 0,
    says: [/a\.txt\tskipped\tTOO_LARGE/],
    megabytes: 300,
    seconds: 30,
  },
  {
    name: 'a single line of 2 GB as a text that --max-document allows',
    make: (folder) => writeRepeated(join(folder, 'a.txt'), '', `${'x'.repeat(99)} `, 2 * GB, ''),
    options: ['--max-document', '3GB'],
    code: 0,
    says: [/1 document read/],
    megabytes: 300,
    seconds: 300,
  },
  {
    name: 'a single word of 900 MB',
    make: (folder) => writeRepeated(join(folder, 'a.txt'), '', 'a', 900 * MB, ''),
    code: 0,
    says: [/1 document read/],
    megabytes: 600,
    seconds: 120,
  },
  {
    name: 'a single line of 2 GB as JSON lines, among others',
    make: (folder) => {
      writeRepeated(
        join(folder, 'a.jsonl'),
        `${OK_LINE}{"text":"`,
        'one two three ',
        2 * GB,
        `"}\n{"text":"x y"}\n`,
      );
    },
    code: 0,
    says: [/a\.jsonl#2\tskipped\tTOO_LARGE/, /2 documents read/],
    megabytes: 2600,
    seconds: 120,
  },
  {
    name: 'JSON lines of 1 GB',
    make: (folder) => {
      writeRepeated(
        join(folder, 'a.jsonl'),
        `${OK_LINE}{"text":"`,
        'one two \\u0061 ',
        0.99 * GB,
        `"}\n{"text":"x y"}\n`,
      );
    },
    code: 0,
    says: [/3 documents read/],
    megabytes: 2600,
    seconds: 240,
  },
  {
    name: 'a document of 10^8 words, and one like it',
    make: (folder) => {
      writeTokens(join(folder, 'a.txt'), 1e8, '');
      writeTokens(join(folder, 'b.txt'), 1e8, 'and an end of its own');
    },
    code: 0,
    says: [/2 documents read/, /Near +1 pair/],
    megabytes: 5500,
    seconds: 600,
  },
  {
    name: 'JSON nested 10^8 deep',
    make: (folder) => {
      writeRepeated(join(folder, 'a.jsonl'), OK_LINE, '[', 100 * MB, '\n{"text":"x y"}\n');
      writeRepeated(join(folder, 'b.json'), '{"text":"p","x":', '[', 100 * MB, '');
    },
    code: 0,
    says: [/a\.jsonl#2\tskipped\tJSON_BROKEN/, /b\.json\tskipped\tJSON_BROKEN/, /2 documents read/],
    megabytes: 700,
    seconds: 60,
  },
  {
    name: 'a JSON array of 1 GB',
    make: (folder) => {
      const element = `${JSON.stringify({ text: PAGE.join(' ') })},`;
      writeRepeated(
        join(folder, 'a.json'),
        '[',
        element,
        Math.floor(GB / element.length) * element.length,
        '{"text":"end"}]',
      );
    },
    code: 0,
    says: [/documents read/],
    megabytes: 2000,
    seconds: 240,
  },
  {
    name: 'a JSON array of 3 GB',
    make: (folder) => {
      const element = `${JSON.stringify({ text: `${PAGE.join(' ')} `.repeat(20) })},`;
      const whole = element.length * Math.ceil((8 * MB) / element.length);
      writeRepeated(
        join(folder, 'a.json'),
        '[',
        element,
        whole * Math.ceil((3 * GB) / whole),
        '{"text":"end"}]',
      );
    },
    code: 0,
    says: [/Documents +[1-9][\d,]+ documents read/],
    megabytes: 600,
    seconds: 240,
  },
  {
    name: 'a JSON array of 3 GB that is broken in the middle, and so no more than a text',
    make: (folder) => {
      const element = `${JSON.stringify({ text: PAGE.join(' ') })},`;
      writeRepeated(join(folder, 'a.json'), '[', element, 3 * GB, '{"text":"end"}]');
    },
    code: 0,
    says: [/a\.json\tskipped\tJSON_LARGE/],
    megabytes: 300,
    seconds: 240,
  },
  {
    name: 'a gzip bomb of 900 MB as a text, of which there are few bytes',
    make: (folder) => {
      writeFileSync(join(folder, 'a.txt.gz'), gzipSync(Buffer.alloc(900 * MB, 'a ')));
    },
    code: 0,
    says: [],
    megabytes: 500,
    seconds: 30,
  },
  {
    name: 'a gzip bomb of 10 GB as a text',
    make: (folder) => writeBomb(join(folder, 'a.txt.gz'), 'a ', 10 * GB),
    code: 0,
    says: [/a\.txt\.gz\tskipped\tTOO_LARGE/],
    megabytes: 1400,
    seconds: 120,
  },
  {
    name: 'a gzip bomb of 10 GB in one JSON line',
    make: (folder) => writeBomb(join(folder, 'a.jsonl.gz'), 'a ', 10 * GB),
    code: 0,
    says: [/a\.jsonl\.gz#1\tskipped\tTOO_LARGE|a\.jsonl\.gz\tskipped\tTOO_LARGE/],
    megabytes: 2500,
    seconds: 240,
  },
  {
    name: 'a gzip bomb of 10 GB in blank lines',
    make: (folder) => writeBomb(join(folder, 'a.jsonl.gz'), '\n', 10 * GB),
    code: 0,
    says: [],
    megabytes: 700,
    seconds: 240,
  },
  {
    name: '10^6 empty files',
    make: (folder) => writeMany(folder, 1e6, () => ''),
    code: 0,
    says: [/1,000,000 documents read, 1,000,000 empty/],
    megabytes: 1200,
    seconds: 240,
  },
  {
    name: '10^5 identical files',
    make: (folder) => writeMany(folder, 1e5, () => PAGE.join(' ')),
    code: 0,
    says: [/100,000 documents in 1 class, 99,999 rows/, /Keep +1 document,/, /Drop +99,999 documents/],
    megabytes: 600,
    seconds: 120,
  },
  {
    name: '10^5 files that differ by one word',
    make: (folder) =>
      writeMany(folder, 1e5, (i) => [...PAGE.slice(0, 75), `v${i}`, ...PAGE.slice(76)].join(' ')),
    code: 0,
    says: [/100,000 documents read/],
    megabytes: 1500,
    seconds: 300,
  },
  {
    name: '10^5 files of the same length',
    make: (folder) => {
      const random = randomFrom(5);
      const word = (): string => String(1e5 + Math.floor(random() * 9e5));
      writeMany(folder, 1e5, () => Array.from({ length: 100 }, word).join(' '));
    },
    code: 0,
    says: [/100,000 documents read/, /Keep +(?:99,\d{3}|100,000) documents/],
    megabytes: 700,
    seconds: 120,
  },
];

/** Runs one case in `place`, a folder that is made for it and removed. */
async function runCase(hostile: HostileCase, place: string): Promise<FaultResult> {
  rmSync(place, { recursive: true, force: true });
  const inputs = join(place, 'in');
  const out = join(place, 'out');
  mkdirSync(inputs, { recursive: true });
  try {
    hostile.make(inputs);
    const ran = await watchedRun(['run', inputs, '--out', out, ...(hostile.options ?? [])], hostile.seconds);
    const skipped = join(out, 'skipped.tsv');
    const said = ran.stdout + ran.stderr + (existsSync(skipped) ? readFileSync(skipped, 'latin1') : '');
    const faults: string[] = [];
    if (ran.timedOut) faults.push(`no end after ${hostile.seconds} s`);
    else if (ran.code !== hostile.code) faults.push(`exit code ${ran.code}: ${ran.stderr.slice(-500)}`);
    for (const text of hostile.says)
      if (!text.test(said)) faults.push(`does not say ${text}: ${said.slice(0, 1500)}`);
    if (ran.peakBytes > hostile.megabytes * MB) faults.push(`more memory than ${hostile.megabytes} MB`);
    return { name: hostile.name, peakBytes: ran.peakBytes, seconds: ran.seconds, said: toldBy(said), faults };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The lines that tell what was read and skipped. */
function toldBy(said: string): string {
  const lines = said.split('\n').filter((line) => /^Documents|\t[A-Z0-9_]+: |^error/.test(line));
  return lines.slice(0, 3).join(' | ');
}

/** All cases whose names hold `only`, one after the other. */
export async function* hostileInputs(place: string, only: string): AsyncGenerator<FaultResult> {
  for (const hostile of HOSTILE_CASES) if (hostile.name.includes(only)) yield runCase(hostile, place);
}
