/** The corpora by name: how each is made, of which size, and what in it is alike. */
import { anyEarlier, edited, latest, type Originals } from './edits.js';
import { DOCUMENTATION, unpackedPackage } from './packages.js';
import { DOCUMENTS, pagesOf } from './pages.js';
import type { Pool } from './pool.js';
import { between, type Random } from './random.js';
import type { CorpusWriter } from './writing.js';

export interface Making {
  readonly count: number;
  readonly pool: Pool;
  readonly random: Random;
  readonly out: CorpusWriter;
  readonly cache: string;
}

export interface Kind {
  readonly about: string;
  /** Documents, unless another number is asked for. */
  readonly count: number;
  readonly pooled: boolean;
  /** Returns how many documents are copies by construction. */
  readonly make: (making: Making) => number;
}

/** Texts remembered as originals of copies. */
const REMEMBERED = 20_000;
/** Long texts remembered: they are up to 200 KB. */
const LONG_REMEMBERED = 500;
const MOST_EDITED = 0.1;
const FILES_A_FOLDER = 1000;

/** The next text: new from the pool, or with a chance of `share` an edited copy of an earlier one. */
function nextText(
  { pool, random }: Making,
  share: number,
  originals: Originals,
  length: number,
): { readonly text: string; readonly copy: boolean } {
  const original = random() < share ? originals.take() : undefined;
  if (original !== undefined)
    return { text: edited(original, random() * MOST_EDITED, pool, random), copy: true };
  const text = pool.piece(length);
  originals.add(text);
  return { text, copy: false };
}

function makeFiles(making: Making, share: number): number {
  const { count, random, out } = making;
  const originals = anyEarlier(REMEMBERED, random);
  const width = String(count - 1).length;
  let copies = 0;
  for (let i = 0; i < count; i++) {
    const { text, copy } = nextText(making, share, originals, between(random, 3000, 7000));
    if (copy) copies++;
    const folder = String(Math.floor(i / FILES_A_FOLDER)).padStart(3, '0');
    out.file(`${folder}/${String(i).padStart(width, '0')}.txt`, Buffer.from(text, 'latin1'));
  }
  return copies;
}

function makeRecords(making: Making): number {
  const { count, random, out } = making;
  const originals = latest(REMEMBERED, 2, random);
  let copies = 0;
  out.begin('records.jsonl');
  for (let i = 0; i < count; i++) {
    const { text, copy } = nextText(making, 0.15, originals, between(random, 250, 750));
    if (copy) copies++;
    out.record({ id: `r${i}`, url: `https://example.org/${i.toString(36)}`, text });
  }
  return copies;
}

const SAME_SHARE = 0.05;

/** Lines of the size of pages, of which some are whole copies. */
function makeArticles(making: Making): number {
  const { count, random, out } = making;
  const originals = latest(REMEMBERED, 2, random);
  let copies = 0;
  out.begin('articles.jsonl');
  for (let i = 0; i < count; i++) {
    const same = random() < SAME_SHARE ? originals.take() : undefined;
    const { text, copy } =
      same === undefined
        ? nextText(making, 0.15, originals, between(random, 3000, 7000))
        : { text: same, copy: true };
    if (copy) copies++;
    out.record({ id: `a${i}`, text });
  }
  return copies;
}

const LARGE_FILES = 4;
/** Bytes of long records for a byte of one large text. */
const LONG_TIMES = 5;

/** Large texts, the last an edited copy of the first; long texts as lines of JSON, 15 % edited copies. */
function makeFew(making: Making): number {
  const { pool, random, out, count } = making;
  const first: string[] = [];
  for (let i = 0; i < LARGE_FILES - 1; i++) {
    out.begin(`text${i}.txt`);
    for (let bytes = 0; bytes < count * 1e6; ) {
      const text = `${pool.piece(between(random, 20_000, 200_000))}\n`;
      if (i === 0) first.push(text);
      bytes += text.length;
      out.append(text);
    }
  }
  out.begin(`text${LARGE_FILES - 1}.txt`);
  for (const text of first) out.append(edited(text, 0.01, pool, random));
  out.begin('long.jsonl');
  const start = out.bytes;
  const originals = latest(LONG_REMEMBERED, 2, random);
  let copies = 1;
  for (let i = 0; out.bytes - start < LONG_TIMES * count * 1e6; i++) {
    const { text, copy } = nextText(making, 0.15, originals, between(random, 20_000, 200_000));
    if (copy) copies++;
    out.record({ id: `l${i}`, text });
  }
  return copies;
}

const SHORT_SHARE = 3 / 8;
const IDENTICAL_SHARE = 11 / 15;

/** Short records of which most are one and the same, and pages that share menu and footer and little else is there. */
function makeSkewed({ pool, random, out, count }: Making): number {
  const shorts = Math.round(count * SHORT_SHARE);
  const identical = Math.round(shorts * IDENTICAL_SHARE);
  const menu = pool.piece(2000);
  const footer = pool.piece(1500);
  const same = pool.piece(150);
  let left = identical;
  out.begin('short.jsonl');
  for (let i = 0; i < shorts; i++) {
    const pick = random() * (shorts - i) < left;
    if (pick) left--;
    out.record({ id: `s${i}`, text: pick ? same : pool.piece(between(random, 40, 300)) });
  }
  out.begin('pages.jsonl');
  for (let i = shorts; i < count; i++) {
    out.record({ id: `p${i}`, text: `${menu}\n${pool.piece(between(random, 100, 400))}\n${footer}` });
  }
  return identical + count - shorts;
}

function makeDocs({ count, out, cache }: Making): number {
  for (const one of DOCUMENTATION) {
    for (const { path, text } of pagesOf(unpackedPackage(one, cache), DOCUMENTS)) {
      if (out.files === count) return 0;
      out.file(`${one.name}/${path}.txt`, Buffer.from(text));
    }
  }
  return 0;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  files: {
    about: 'files of 3 to 7 KB, 15 % edited copies of any earlier one',
    count: 100_000,
    pooled: true,
    make: (making) => makeFiles(making, 0.15),
  },
  sparse: {
    about: 'files of 3 to 7 KB, 1 % edited copies',
    count: 100_000,
    pooled: true,
    make: (making) => makeFiles(making, 0.01),
  },
  records: {
    about: 'short records as JSON lines, 15 % edited copies, an original copied at most twice',
    count: 1_000_000,
    pooled: true,
    make: makeRecords,
  },
  articles: {
    about: 'JSON lines of 3 to 7 KB, 15 % edited copies and 5 % whole ones, an original copied at most twice',
    count: 100_000,
    pooled: true,
    make: makeArticles,
  },
  few: {
    about: 'large texts of --count MB each, and five times that in JSON lines of 20 to 200 KB',
    count: 100,
    pooled: true,
    make: makeFew,
  },
  skewed: {
    about: '3/8 short records of which 11/15 are identical, 5/8 pages of common boilerplate',
    count: 160_000,
    pooled: true,
    make: makeSkewed,
  },
  docs: {
    about: 'pages of documentation packages as text, with all their natural repetition',
    count: 1_000_000,
    pooled: false,
    make: makeDocs,
  },
};
