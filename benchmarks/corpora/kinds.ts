/** The corpora by name: how each is generated, its size, and which documents are similar. */
import { anyEarlier, edited, latest, type Originals } from './edits.js';
import { DOCUMENTATION, unpackedPackage } from './packages.js';
import { DOCUMENTS, pagesOf } from './pages.js';
import type { Pool } from './pool.js';
import { between, type Random } from './random.js';
import type { CorpusWriter } from './writing.js';

export interface CorpusPlan {
  readonly count: number;
  readonly pool: Pool;
  readonly random: Random;
  readonly out: CorpusWriter;
  readonly cache: string;
}

export interface Kind {
  readonly about: string;
  /** Default number of documents. */
  readonly count: number;
  readonly pooled: boolean;
  /** Returns the number of documents that are copies by construction. */
  readonly make: (plan: CorpusPlan) => number;
}

/** Number of texts remembered as originals of copies. */
const REMEMBERED = 20_000;
const EDITED_SHARE = 0.15;
const MOST_EDITED = 0.1;
const FILES_PER_FOLDER = 1000;

/** The next text: new from the pool, or with a chance of EDITED_SHARE an edited copy of an earlier one. */
function nextText(
  { pool, random }: CorpusPlan,
  originals: Originals,
  length: number,
): { readonly text: string; readonly copy: boolean } {
  const original = random() < EDITED_SHARE ? originals.take() : undefined;
  if (original !== undefined)
    return { text: edited(original, random() * MOST_EDITED, pool, random), copy: true };
  const text = pool.piece(length);
  originals.add(text);
  return { text, copy: false };
}

function makeFiles(plan: CorpusPlan): number {
  const { count, random, out } = plan;
  const originals = anyEarlier(REMEMBERED, random);
  const width = String(count - 1).length;
  let copies = 0;
  for (let i = 0; i < count; i++) {
    const { text, copy } = nextText(plan, originals, between(random, 3000, 7000));
    if (copy) copies++;
    const folder = String(Math.floor(i / FILES_PER_FOLDER)).padStart(3, '0');
    out.file(`${folder}/${String(i).padStart(width, '0')}.txt`, Buffer.from(text, 'latin1'));
  }
  return copies;
}

function makeRecords(plan: CorpusPlan): number {
  const { count, random, out } = plan;
  const originals = latest(REMEMBERED, 2, random);
  let copies = 0;
  out.begin('records.jsonl');
  for (let i = 0; i < count; i++) {
    const { text, copy } = nextText(plan, originals, between(random, 250, 750));
    if (copy) copies++;
    out.record({ id: `r${i}`, url: `https://example.org/${i.toString(36)}`, text });
  }
  return copies;
}

const SAME_SHARE = 0.05;

/** JSON lines of the size of pages, some of which are exact copies. */
function makeArticles(plan: CorpusPlan): number {
  const { count, random, out } = plan;
  const originals = latest(REMEMBERED, 2, random);
  let copies = 0;
  out.begin('articles.jsonl');
  for (let i = 0; i < count; i++) {
    const same = random() < SAME_SHARE ? originals.take() : undefined;
    const { text, copy } =
      same === undefined
        ? nextText(plan, originals, between(random, 3000, 7000))
        : { text: same, copy: true };
    if (copy) copies++;
    out.record({ id: `a${i}`, text });
  }
  return copies;
}

function makeDocs({ count, out, cache }: CorpusPlan): number {
  for (const source of DOCUMENTATION) {
    for (const { path, text } of pagesOf(unpackedPackage(source, cache), DOCUMENTS)) {
      if (out.files === count) return 0;
      out.file(`${source.name}/${path}.txt`, Buffer.from(text));
    }
  }
  return 0;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  files: {
    about: 'files of 3 to 7 KB, 15 % edited copies of any earlier one',
    count: 100_000,
    pooled: true,
    make: makeFiles,
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
  docs: {
    about: 'pages of documentation packages as text, with their natural repetition',
    count: 1_000_000,
    pooled: false,
    make: makeDocs,
  },
};
