/**
 * The queries for the result: rows of its tables in order, and the numbers of its manifest. They read the tables of statements.ts. Rows
 * are streamed, and numbers are sums by file, size or code, so memory does not grow with the corpus.
 */
import { AS_TEXT, EMPTY, HAS_ID, PAGE, REPAIRED } from '../../blocks/documents.js';
import { LISTED_CODES } from '../../errors.js';
import { PUNCTUATION_WORD } from '../../text/keys/textKey.js';
import type { Dialect } from './dialects.js';
import type { StatementParams } from './statements.js';

/** A query of rows of cells, in order. */
export interface ResultQuery {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly sort: string;
}

/** Tables of the result, by the names of their queries. */
export type SqlTable = 'pairs' | 'candidates' | 'clusters' | 'duplicates' | 'skipped';

/** Values of a pair, for its row. */
const VALUES = ['agreement', 'common', 'size_a', 'size_b'] as const;
const PAIR = ['a_name', 'b_name', ...VALUES] as const;
const LOCATIONS = ['a_location', 'b_location'] as const;

/** The rows of the tables. Cells are in the order of `columns`. */
export function tableQueries(
  { params }: StatementParams,
  d: Dialect,
): Readonly<Record<SqlTable, ResultQuery>> {
  const { hashes } = params.sketch;
  const isExact = params.verify === 'exact';
  const named = (pairs: string, columns: string): string =>
    `SELECT p.a, p.b, x.name AS a_name, y.name AS b_name, p.agreement, p.common, p.size_a, p.size_b, ${columns},
  x.location AS a_location, y.location AS b_location
FROM ${pairs} p JOIN names x ON x.doc = p.a JOIN names y ON y.doc = p.b`;
  const pairRows = `(SELECT a, b, agreement, common, size_a, size_b, 'near' AS kind FROM near
  UNION ALL SELECT a, b, ${hashes} AS agreement, 1 AS common, 1 AS size_a, 1 AS size_b,
    CASE WHEN same THEN 'identical' ELSE 'same-tokens' END AS kind FROM identical)`;
  return {
    pairs: { sql: named(pairRows, 'p.kind'), columns: [...PAIR, 'kind', ...LOCATIONS], sort: 'a, b' },
    candidates: {
      sql: named('listed', 'p.accepted'),
      columns: [...PAIR, 'accepted', ...LOCATIONS],
      sort: 'a, b',
    },
    duplicates: {
      sql: `SELECT p.doc, x.name AS a_name, y.name AS b_name, p.agreement, p.common, p.size_a, p.size_b, x.location AS a_location, y.location AS b_location
FROM duplicates p JOIN names x ON x.doc = p.doc JOIN names y ON y.doc = p.kept`,
      columns: [...PAIR, ...LOCATIONS],
      sort: 'doc',
    },
    clusters: {
      sql: `SELECT m.root, m.doc, x.name, x.location, COALESCE(c.agreement, e.agreement, ${hashes}) AS agreement,
  COALESCE(c.common, 1) AS common, COALESCE(c.size_a, 1) AS size_a, COALESCE(c.size_b, 1) AS size_b,
  CASE WHEN m.original = m.root OR ${isExact ? 'c.x IS NOT NULL' : '1 = 0'} THEN 'exact' ELSE 'estimate' END AS basis
FROM clustered m JOIN names x ON x.doc = m.doc
LEFT JOIN compared c ON c.x = m.root AND c.y = m.original LEFT JOIN estimates e ON e.a = m.root AND e.b = m.original`,
      columns: ['root', 'doc', 'name', ...VALUES, 'basis', 'location'],
      sort: 'root, doc',
    },
    skipped: { sql: skippedRows(d), columns: ['location_hex', 'code'], sort: 'location_hex, code' },
  };
}

/**
 * Skipped records and documents with notes, ordered by the bytes of their location (as hexadecimal digits). A file that cannot be read
 * fails in each of its batches, and is listed once.
 */
function skippedRows({ hexOfDigits }: Dialect): string {
  const location = `CASE WHEN s.record < 0 THEN f.whole_hex
    ELSE concat(f.location_hex, '23', ${hexOfDigits('CAST(l.first_line + s.record + 1 AS STRING)')}) END`;
  const code = LISTED_CODES.map((name, i) => `WHEN ${i} THEN '${name}'`).join(' ');
  return `SELECT ${location} AS location_hex, CASE s.flags ${code} END AS code
FROM (${LISTED_ONCE}) s JOIN first_lines l ON l.batch = s.batch JOIN files f ON f.file = s.file`;
}

const LISTED_ONCE = `SELECT * FROM (SELECT batch, row, file, record, flags, ROW_NUMBER() OVER (
    PARTITION BY file, record, flags, CASE WHEN record < 0 THEN 0 ELSE batch * 4294967296 - row END ORDER BY batch, row) AS n
  FROM sketched WHERE row < -1) t WHERE n = 1`;

/**
 * Queries of numbers for the manifest, with small answers: documents, bytes, tokens, shingles and flags by file and reason (`kept`,
 * `near`, `identical`, `same_tokens`); skips by code; documents by file and format, in the order of the first ones; documents by number
 * of shingles and of tokens; candidates by agreement; drops at higher thresholds; single counts by name; the last row of each batch.
 */
export function numberQueries(all: StatementParams) {
  const { params, cutoff, leaders, thresholds } = all;
  const { references } = leaders;
  const flag = (bit: number): string => `SUM(CASE WHEN (s.flags & ${bit}) = 0 THEN 0 ELSE 1 END)`;
  const documents =
    'SELECT batch * 4294967296 + row AS doc, file, flags, occurrences, tokens, bytes FROM sketched WHERE row >= 0';
  // Hexadecimal digits from 1, eight of each word of the key of a text.
  const punctuation = `SELECT batch * 4294967296 + row AS doc, SUBSTRING(text, ${8 * PUNCTUATION_WORD + 1}, 8) AS punctuation FROM sketched WHERE row >= 0`;
  const histogram = (column: string): string =>
    `SELECT ${column}, COUNT(*) FROM (${documents}) s WHERE ${column} > 0 AND doc >= ${references} GROUP BY ${column} ORDER BY ${column}`;
  const counted = params.exactDuplicates
    ? 'SELECT agreement FROM counted'
    : references === 0
      ? 'SELECT agreement FROM agreeing'
      : `SELECT agreement FROM counted WHERE agreement >= ${cutoff} UNION ALL SELECT agreement FROM agreeing WHERE agreement < ${cutoff}`;
  const withIds = `sketched WHERE row >= 0 AND (flags & ${HAS_ID}) <> 0`;
  const large = params.exactDuplicates ? [] : largeCounts();
  const counts = [
    ['near', 'SELECT COUNT(*) FROM near'],
    ['copies', 'SELECT COUNT(*) FROM copies'],
    ['groups', 'SELECT COUNT(DISTINCT original) FROM copies'],
    ['identical', 'SELECT COUNT(*) FROM identical WHERE same'],
    ['same_tokens', 'SELECT COUNT(*) FROM identical WHERE NOT same'],
    [
      'other_punctuation',
      `SELECT COUNT(*) FROM identical i JOIN (${punctuation}) x ON x.doc = i.a JOIN (${punctuation}) y ON y.doc = i.b
WHERE NOT i.same AND x.punctuation <> y.punctuation`,
    ],
    ['clusters', 'SELECT COUNT(DISTINCT root) FROM clustered'],
    ['clustered', 'SELECT COUNT(*) FROM clustered'],
    ['repeated_ids', `SELECT COUNT(id) - COUNT(DISTINCT id) FROM ${withIds}`],
    ['with_ids', `SELECT COUNT(*) FROM ${withIds}`],
    ...large,
    ...(references === 0 ? [] : referenceCounts()),
  ];
  return {
    byFile: `SELECT s.file, CASE WHEN d.doc IS NULL THEN 'kept' WHEN c.doc IS NULL OR c.original <> d.kept THEN 'near'
    WHEN c.same THEN 'identical' ELSE 'same_tokens' END AS reason,
  COUNT(*), SUM(s.bytes), SUM(s.tokens), SUM(s.occurrences), ${flag(EMPTY)}, ${flag(REPAIRED)}, ${flag(AS_TEXT)}
FROM (${documents}) s LEFT JOIN duplicates d ON d.doc = s.doc LEFT JOIN copies c ON c.doc = s.doc
GROUP BY s.file, CASE WHEN d.doc IS NULL THEN 'kept' WHEN c.doc IS NULL OR c.original <> d.kept THEN 'near'
    WHEN c.same THEN 'identical' ELSE 'same_tokens' END`,
    skips: `SELECT flags, COUNT(*) FROM (${LISTED_ONCE}) s GROUP BY flags`,
    formats: `SELECT file, (flags & ${AS_TEXT | PAGE}) AS format, COUNT(*) FROM (${documents}) s WHERE doc >= ${references}
GROUP BY file, (flags & ${AS_TEXT | PAGE}) ORDER BY MIN(doc)`,
    shingles: histogram('occurrences'),
    tokens: histogram('tokens'),
    agreements: `SELECT agreement, COUNT(*) FROM (${counted}) c GROUP BY agreement ORDER BY agreement`,
    thresholds: dropsByThreshold(),
    counts: counts.map(([name, sql]) => `SELECT '${name}' AS name, (${sql}) AS value`).join(' UNION ALL '),
    batches: 'SELECT content, text FROM sketched WHERE row = -1',
  };

  /** Rows whose sum is wanted: dropped first documents of groups, and other documents of groups. */
  function dropsByThreshold(): string {
    const dropped = thresholds
      .map((_, k) => `COALESCE(SUM(CASE WHEN (kept & ${2 ** k}) = 0 THEN 1 ELSE 0 END), 0)`)
      .join(', ');
    const all = (from: string): string =>
      `SELECT ${thresholds.map(() => 'COUNT(*)').join(', ')} FROM ${from}`;
    if (!leaders.onlyAgainst) return `SELECT ${dropped} FROM decided UNION ALL ${all('dropped_copies')}`;
    // Of new documents with the same tokens the first has to be dropped.
    return `SELECT ${dropped} FROM decided UNION ALL ${all(`dropped_copies WHERE original < ${references}`)}
UNION ALL SELECT ${dropped} FROM dropped_copies c JOIN decided k ON k.doc = c.original WHERE c.original >= ${references}`;
  }

  function largeCounts(): string[][] {
    const ends = 'FROM large_rows WHERE a < 0';
    return [
      ['large', `SELECT COUNT(*) ${ends}`],
      ['large_members', `SELECT COALESCE(SUM(b), 0) ${ends}`],
      ['unmatched', `SELECT COALESCE(SUM(agreement), 0) ${ends}`],
    ];
  }

  /** New documents that have a pair with a reference document: in its duplicate group, or near it; and their copies. */
  function referenceCounts(): string[][] {
    const matched = `(SELECT DISTINCT y AS doc FROM near WHERE x < ${references} AND y >= ${references})`;
    return [
      ['references', `SELECT COUNT(*) FROM (${documents}) s WHERE doc < ${references}`],
      [
        'reference_matches',
        `SELECT COUNT(*) FROM (SELECT doc FROM copies WHERE doc >= ${references} AND original < ${references}
  UNION SELECT doc FROM ${matched} m UNION SELECT c.doc FROM copies c JOIN ${matched} m ON m.doc = c.original) u`,
      ],
    ];
  }
}
