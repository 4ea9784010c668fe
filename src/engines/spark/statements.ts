/**
 * The pipeline as SQL: each table is made by one statement from the tables before it. Given are `batches` (batch, spec) and `files`
 * (file, place, place_hex, whole), see batchPlan.ts.
 *
 * A document is `doc = batch * 2^32 + row`: numbers ascend in the order of locations, and no counting is needed. Batches of reference
 * documents come first, so numbers are also the keep order. Texts, readers and kernel are in the Node tasks (tasks/); SQL sees
 * integers, ids and 128-bit keys, and never prints a fraction: result files are the same on every engine.
 */
import type { LeaderRule } from '../../../reducers/leaderPairs.js';
import { EMPTY, HAS_ID } from '../../blocks/documents.js';
import type { ResultParams } from '../../sketch/params.js';
import { leastAccepted } from '../../sketch/probability.js';
import type { Dialect } from './dialects.js';

/** The parameters of the tasks: JSON. */
export interface TaskParams {
  readonly params: ResultParams;
  /** Thresholds whose drops are counted, ascending; the first is that of the run. */
  readonly thresholds: readonly number[];
  readonly leaders: LeaderRule;
}

/** What the statements depend on beside the dialect. */
export interface StatementParams extends TaskParams {
  /** Least agreement of a pair whose sets are compared. */
  readonly margin: number;
}

/** The names of the tasks of tasks/taskEntry.ts. */
export type TaskName = 'sketch' | 'sets' | 'leaders' | 'drops';

/** A table in the work folder. */
interface TableStep {
  readonly kind: 'table';
  readonly name: string;
  readonly sql: string;
}

interface ViewStep {
  readonly kind: 'view';
  readonly name: string;
  readonly sql: string;
}

/** The rows of `from` pass through a task: those with one value of `by` through one process, in the order of `sort`. */
export interface TaskStep {
  readonly kind: 'task';
  readonly name: string;
  readonly task: TaskName;
  readonly from: string;
  /** The columns that the task reads. */
  readonly columns: readonly string[];
  readonly by: string;
  readonly sort: string;
  /** The columns of its rows. */
  readonly gives: Readonly<Record<string, string>>;
  /** Makes the table of its rows, `given`. */
  readonly sql: string;
}

/** Steps that are repeated, `{in}` and `{out}` being tables of rounds, until the query `until` gives 0. */
interface LoopStep {
  readonly kind: 'loop';
  readonly name: string;
  readonly start: string;
  readonly steps: readonly string[];
  readonly until: string;
}

/** A number computed from the rows of a query; later statements have it as `{name}`. */
interface NumberStep {
  readonly kind: 'number';
  readonly name: string;
  readonly sql: string;
  readonly of: (rows: readonly (readonly number[])[]) => number;
}

/** A query that must give no row. */
interface CheckStep {
  readonly kind: 'check';
  /** What is true if there is no row. */
  readonly fact: string;
  readonly sql: string;
  /** A row means that an input changed during the run; else that rows were lost. */
  readonly isInput?: true;
}

export type SqlStep = TableStep | ViewStep | TaskStep | LoopStep | NumberStep | CheckStep;

/** Documents in a batch, at most: the numbers of a batch are a range of so many. */
export const ROWS_OF_BATCH = 2 ** 32;
const DOC = 'batch * 4294967296 + row';

const double = (value: number): string => `CAST('${value}' AS DOUBLE)`;

/** @param hotBucket the number of documents of a bucket that are paired all with all, from members by size of their bucket */
export function statements(
  { params, thresholds, margin, leaders: rule }: StatementParams,
  d: Dialect,
  hotBucket: (bySize: readonly (readonly number[])[]) => number,
): SqlStep[] {
  const { verify, exactDuplicates } = params;
  const isExact = verify === 'exact';
  const { hashes } = params.sketch;
  const { references, onlyAgainst } = rule;
  const steps: SqlStep[] = [];
  const table = (name: string, sql: string): unknown => steps.push({ kind: 'table', name, sql });
  const view = (name: string, sql: string): unknown => steps.push({ kind: 'view', name, sql });
  const check = (fact: string, sql: string): unknown => steps.push({ kind: 'check', fact, sql });
  const mustBeZero = (fact: string, difference: string): unknown =>
    check(fact, `SELECT lost FROM (SELECT ${difference} AS lost) x WHERE lost <> 0`);
  /** Whether a pair counts (CountedPairs of reducers/leaderPairs.ts). */
  const counts = (a: string, b: string): string =>
    references === 0 ? '' : ` AND ${b} >= ${references}${onlyAgainst ? ` AND ${a} < ${references}` : ''}`;
  const jaccard = (t: string): string =>
    `(CAST(${t}.common AS DOUBLE) / (${t}.size_a + ${t}.size_b - ${t}.common))`;

  // Documents.
  steps.push({
    kind: 'task',
    name: 'sketched',
    task: 'sketch',
    from: 'SELECT batch, spec FROM batches',
    columns: ['batch', 'spec'],
    by: 'batch',
    sort: 'batch',
    gives: {
      ...{ batch: 'BIGINT', row: 'BIGINT', file: 'INT', record: 'BIGINT', flags: 'INT', id: 'STRING' },
      ...{ content: 'STRING', text: 'STRING', occurrences: 'BIGINT', tokens: 'BIGINT', bytes: 'BIGINT' },
      ...{ slots: 'STRING', bucket_keys: 'STRING' },
    },
    sql: `SELECT batch, row, file, record, flags, id, content, text, occurrences, tokens, bytes,
  CAST(split(slots, ',') AS ${d.ints}) AS slots, CAST(split(bucket_keys, ',') AS ${d.longs}) AS bucket_keys
FROM given`,
  });
  check(
    'each batch was read once, and has as many rows as its last row says',
    `SELECT b.batch FROM batches b LEFT JOIN (
  SELECT batch, SUM(CASE WHEN row = -1 THEN 1 ELSE 0 END) AS ends, SUM(CASE WHEN row = -1 THEN flags ELSE 0 END) AS documents,
    SUM(CASE WHEN row = -1 THEN tokens ELSE 0 END) AS skips, COUNT(*) AS found, COUNT(DISTINCT row) AS numbers
  FROM sketched GROUP BY batch) s ON s.batch = b.batch
WHERE s.batch IS NULL OR ends <> 1 OR found <> documents + skips + 1 OR numbers <> found`,
  );
  table(
    'first_lines',
    `SELECT batch, CAST(SUM(record) OVER (PARTITION BY file ORDER BY batch) - record AS BIGINT) AS first_line
FROM sketched WHERE row = -1`,
  );
  view(
    'documents',
    `SELECT s.batch * 4294967296 + s.row AS doc, s.batch, s.row, s.file, s.record, s.flags, s.id, s.content, s.text,
  s.occurrences, s.tokens, s.bytes,
  CASE WHEN s.record < 0 THEN f.whole ELSE concat(f.place, '#', CAST(l.first_line + s.record + 1 AS STRING)) END AS place
FROM sketched s JOIN first_lines l ON l.batch = s.batch JOIN files f ON f.file = s.file WHERE s.row >= 0`,
  );

  // Duplicate groups: documents with equal content keys; the first one is compared with others.
  table(
    'copies',
    `SELECT doc, original, same FROM (
  SELECT doc, MIN(doc) OVER (PARTITION BY content) AS original,
    text = FIRST_VALUE(text) OVER (PARTITION BY content ORDER BY doc) AS same
  FROM (SELECT ${DOC} AS doc, content, text FROM sketched WHERE row >= 0 AND (flags & ${EMPTY}) = 0) x) y
WHERE doc <> original`,
  );
  view('counted_copies', `SELECT doc, original, same FROM copies WHERE doc >= ${references}`);

  if (exactDuplicates) {
    view('near', nearOf('copies', '1 = 0'));
    view('compared', 'SELECT * FROM near');
  } else pairing();

  // Connected components by alternating stars (Kiveris et al. 2014): `hi` points to a document before it.
  steps.push({
    kind: 'loop',
    name: 'stars',
    start: 'SELECT b AS hi, a AS lo FROM near',
    steps: [
      `WITH ways AS (SELECT hi AS u, lo AS v FROM {in} UNION ALL SELECT lo AS u, hi AS v FROM {in}),
  least AS (SELECT u, CASE WHEN MIN(v) < u THEN MIN(v) ELSE u END AS m FROM ways GROUP BY u)
SELECT DISTINCT w.v AS hi, l.m AS lo FROM ways w JOIN least l ON l.u = w.u WHERE w.v > w.u`,
      `WITH least AS (SELECT hi, MIN(lo) AS m FROM {in} GROUP BY hi)
SELECT hi, m AS lo FROM least UNION SELECT e.lo AS hi, l.m AS lo FROM {in} e JOIN least l ON l.hi = e.hi WHERE e.lo <> l.m`,
    ],
    until: `SELECT COUNT(*) - COUNT(DISTINCT hi) + (SELECT COUNT(*) FROM {out} x JOIN {out} y ON x.lo = y.hi) FROM {out}`,
  });
  table('labels', 'SELECT hi AS doc, lo AS root FROM stars UNION SELECT lo AS doc, lo AS root FROM stars');
  check(
    'both documents of a near pair are in one component',
    `SELECT n.a FROM near n LEFT JOIN labels x ON x.doc = n.a LEFT JOIN labels y ON y.doc = n.b
WHERE x.root IS NULL OR y.root IS NULL OR x.root <> y.root`,
  );

  // The drop list. Bit k of `kept`: the document is kept at threshold k.
  steps.push({
    kind: 'task',
    name: 'decided',
    task: 'drops',
    from: 'SELECT l.root, n.b, n.a, n.level FROM near n JOIN labels l ON l.doc = n.b',
    columns: ['root', 'b', 'a', 'level'],
    by: 'root',
    sort: 'root, b, a',
    gives: { root: 'BIGINT', doc: 'BIGINT', kept: 'INT' },
    sql: 'SELECT doc, kept FROM given',
  });
  check(
    'each document that has an earlier near one was decided once',
    `SELECT n.b FROM (SELECT DISTINCT b FROM near) n
LEFT JOIN (SELECT doc, COUNT(*) AS times FROM decided GROUP BY doc) k ON k.doc = n.b WHERE times IS NULL OR times <> 1`,
  );
  view('fallen', 'SELECT doc FROM decided WHERE (kept & 1) = 0');
  // The kept documents before a dropped one that it is near to. A copy has the near pairs of its original.
  const likeness = isExact ? jaccard('n') : 'n.agreement';
  const same = `1 AS common, 1 AS size_a, 1 AS size_b, ${hashes} AS agreement, ${isExact ? 1 : hashes} AS likeness`;
  table(
    'offers',
    `SELECT n.b AS doc, n.a AS kept, n.common, n.size_a, n.size_b, n.agreement, ${likeness} AS likeness
FROM near n JOIN fallen f ON f.doc = n.b LEFT JOIN fallen g ON g.doc = n.a WHERE g.doc IS NULL
UNION ALL
SELECT c.doc, c.original AS kept, ${same}
FROM counted_copies c LEFT JOIN fallen g ON g.doc = c.original WHERE g.doc IS NULL
UNION ALL
SELECT c.doc, n.v AS kept, n.common, n.size_a, n.size_b, n.agreement, ${likeness} AS likeness
FROM counted_copies c JOIN fallen f ON f.doc = c.original JOIN (
  SELECT a AS u, b AS v, common, size_a, size_b, agreement FROM near
  UNION ALL SELECT b AS u, a AS v, common, size_a, size_b, agreement FROM near) n ON n.u = c.original
LEFT JOIN fallen g ON g.doc = n.v WHERE g.doc IS NULL AND n.v < c.doc`,
  );
  table(
    'duplicates',
    `SELECT doc, kept, common, size_a, size_b, agreement FROM (
  SELECT o.*, ROW_NUMBER() OVER (PARTITION BY doc ORDER BY likeness DESC, kept) AS n FROM offers o) x WHERE n = 1`,
  );
  mustBeZero(
    'each dropped document has a kept one',
    '(SELECT COUNT(*) FROM fallen) + (SELECT COUNT(*) FROM counted_copies) - (SELECT COUNT(*) FROM duplicates)',
  );

  // Clusters: components, and the copies of their documents.
  table(
    'clustered',
    `SELECT root, doc, original FROM (
  SELECT root, doc, doc AS original FROM labels
  UNION ALL SELECT COALESCE(l.root, c.original) AS root, c.doc, c.original
    FROM counted_copies c LEFT JOIN labels l ON l.doc = c.original
  UNION SELECT COALESCE(l.root, c.original) AS root, c.original AS doc, c.original
    FROM counted_copies c LEFT JOIN labels l ON l.doc = c.original) x`,
  );
  // Similarities to the first document of a cluster: exact if that pair was verified, else estimated.
  if (exactDuplicates) view('estimates', `SELECT doc AS a, doc AS b, 0 AS agreement FROM copies WHERE 1 = 0`);
  else
    table(
      'estimates',
      `SELECT p.a, p.b, CAST(${d.equalSlots('x.slots', 'y.slots')} AS INT) AS agreement FROM (
  SELECT DISTINCT l.root AS a, l.doc AS b FROM labels l LEFT JOIN compared c ON c.a = l.root AND c.b = l.doc
  WHERE l.doc <> l.root AND c.a IS NULL) p
JOIN signatures x ON x.doc = p.a JOIN signatures y ON y.doc = p.b`,
    );
  return steps;

  /** Near pairs with their level: the number of thresholds above that of the run that they reach. */
  function nearOf(from: string, condition: string): string {
    if (exactDuplicates) {
      const columns = ['agreement', 'size_a', 'size_b', 'common', 'level'].map((name) => `0 AS ${name}`);
      return `SELECT original AS a, doc AS b, ${columns.join(', ')} FROM ${from} WHERE ${condition}`;
    }
    const reached = thresholds.slice(1).map((threshold) => {
      const least = isExact
        ? `${jaccard('c')} >= ${double(threshold)}`
        : `c.agreement >= ${leastAccepted(threshold, hashes)}`;
      return `CASE WHEN ${least} THEN 1 ELSE 0 END`;
    });
    return `SELECT a, b, agreement, size_a, size_b, common, ${['0', ...reached].join(' + ')} AS level FROM ${from} c WHERE ${condition}`;
  }

  /** From bucket keys to near pairs. */
  function pairing(): void {
    table(
      'members',
      `SELECT bucket, doc, size FROM (
  SELECT bucket, doc, COUNT(*) OVER (PARTITION BY bucket) AS size FROM (
    SELECT doc, ${d.explode('bucket_keys')} AS bucket FROM (
      SELECT s.batch * 4294967296 + s.row AS doc, s.bucket_keys
      FROM sketched s LEFT JOIN copies c ON c.doc = s.batch * 4294967296 + s.row
      WHERE s.row >= 0 AND (s.flags & ${EMPTY}) = 0 AND c.doc IS NULL) x) y) z WHERE size > 1`,
    );
    steps.push({
      kind: 'number',
      name: 'cap',
      sql: 'SELECT size, COUNT(*) AS members FROM members GROUP BY size ORDER BY size',
      of: hotBucket,
    });
    view('large_members', 'SELECT bucket, doc, size FROM members WHERE size > {cap}');
    steps.push({
      kind: 'task',
      name: 'large_rows',
      task: 'leaders',
      from: `SELECT m.bucket, m.doc, ${d.listText('s.slots')} AS slots FROM large_members m
JOIN (SELECT ${DOC} AS doc, slots FROM sketched WHERE row >= 0) s ON s.doc = m.doc`,
      columns: ['bucket', 'doc', 'slots'],
      by: 'bucket',
      sort: 'bucket, doc',
      gives: { bucket: 'BIGINT', a: 'BIGINT', b: 'BIGINT', agreement: 'BIGINT' },
      sql: 'SELECT bucket, a, b, agreement FROM given',
    });
    check(
      'each large bucket was walked once and whole',
      `SELECT m.bucket FROM (SELECT DISTINCT bucket, size FROM large_members) m
LEFT JOIN (SELECT bucket, COUNT(*) AS ends, SUM(b) AS walked FROM large_rows WHERE a < 0 GROUP BY bucket) e ON e.bucket = m.bucket
WHERE ends IS NULL OR ends <> 1 OR walked <> size`,
    );
    table(
      'candidates',
      `SELECT x.doc AS a, y.doc AS b FROM members x JOIN members y ON x.bucket = y.bucket
WHERE x.doc < y.doc AND x.size <= {cap} AND y.size <= {cap}${counts('x.doc', 'y.doc')}
UNION
SELECT a, b FROM large_rows WHERE a >= 0`,
    );
    // The one statement that moves all signatures: those of documents in pairs.
    table(
      'signatures',
      `SELECT p.doc, s.slots FROM (SELECT a AS doc FROM candidates UNION SELECT b AS doc FROM candidates) p
JOIN (SELECT ${DOC} AS doc, slots FROM sketched WHERE row >= 0) s ON s.doc = p.doc`,
    );
    table(
      'agreements',
      `SELECT c.a, c.b, CAST(${d.equalSlots('x.slots', 'y.slots')} AS INT) AS agreement
FROM candidates c JOIN signatures x ON x.doc = c.a JOIN signatures y ON y.doc = c.b`,
    );
    mustBeZero(
      'the agreement of each candidate pair was counted',
      '(SELECT COUNT(*) FROM candidates) - (SELECT COUNT(*) FROM agreements)',
    );
    if (isExact) verification();
    else
      view(
        'compared',
        `SELECT a, b, agreement, 0 AS size_a, 0 AS size_b, 0 AS common FROM agreements WHERE agreement >= ${margin}`,
      );
    const isNear = isExact
      ? `${jaccard('c')} >= ${double(params.threshold)}`
      : verify === 'none'
        ? '1 = 0'
        : '1 = 1';
    table('near', nearOf('compared', isNear));
  }

  /** The second reading: sets of documents in pairs at the margin, and their common elements. */
  function verification(): void {
    table(
      'wanted',
      `SELECT a AS doc FROM agreements WHERE agreement >= ${margin} UNION SELECT b AS doc FROM agreements WHERE agreement >= ${margin}`,
    );
    steps.push({
      kind: 'task',
      name: 'sets',
      task: 'sets',
      from: `SELECT b.batch, b.spec, w.wanted FROM batches b JOIN (
  SELECT s.batch, ${d.joined("concat_ws(':', CAST(s.row AS STRING), CAST(s.file AS STRING), CAST(s.record AS STRING))")} AS wanted
  FROM sketched s JOIN wanted w ON w.doc = s.batch * 4294967296 + s.row WHERE s.row >= 0 GROUP BY s.batch) w ON w.batch = b.batch`,
      columns: ['batch', 'spec', 'wanted'],
      by: 'batch',
      sort: 'batch',
      gives: {
        batch: 'BIGINT',
        row: 'BIGINT',
        content: 'STRING',
        size: 'BIGINT',
        piece: 'BIGINT',
        shingles: 'STRING',
      },
      sql: `SELECT ${DOC} AS doc, content, size, ${d.concatenated('piece', `CAST(split(shingles, ',') AS ${d.longs})`)} AS shingles
FROM given GROUP BY batch, row, content, size`,
    });
    steps.push({
      kind: 'check',
      isInput: true,
      fact: 'the second reading found each document as the first did',
      sql: `SELECT s.doc FROM sets s JOIN documents d ON d.doc = s.doc WHERE s.content <> d.content`,
    });
    check(
      'the second reading gave each set whole',
      `SELECT w.doc FROM wanted w LEFT JOIN sets s ON s.doc = w.doc WHERE s.doc IS NULL OR s.size <> ${d.length('s.shingles')}`,
    );
    table(
      'compared',
      `SELECT p.a, p.b, p.agreement, x.size AS size_a, y.size AS size_b,
  CAST(${d.commonElements('x.shingles', 'y.shingles')} AS BIGINT) AS common
FROM agreements p JOIN sets x ON x.doc = p.a JOIN sets y ON y.doc = p.b WHERE p.agreement >= ${margin}`,
    );
    mustBeZero(
      'each pair at the margin was verified',
      `(SELECT COUNT(*) FROM agreements WHERE agreement >= ${margin}) - (SELECT COUNT(*) FROM compared)`,
    );
  }
}

/** Queries of the result tables: rows of text cells, in the order of the files. */
export interface ResultQuery {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly sort: string;
}

export function resultQueries({
  params,
  margin,
}: StatementParams): Readonly<Record<'pairs' | 'duplicates' | 'clusters', ResultQuery>> {
  const { verify } = params;
  const { hashes } = params.sketch;
  void margin;
  const name = `CASE WHEN (d.flags & ${HAS_ID}) = 0 THEN d.place ELSE d.id END`;
  const cells = `(SELECT d.doc, ${name} AS name, d.place FROM documents d JOIN clustered s ON s.doc = d.doc)`;
  return {
    pairs: {
      sql: `SELECT p.a, p.b, x.name AS x, y.name AS y, p.agreement, p.common, p.size_a, p.size_b, p.kind, x.place AS x_place, y.place AS y_place FROM (
  SELECT a, b, agreement, common, size_a, size_b, 'near' AS kind FROM near
  UNION ALL SELECT original AS a, doc AS b, ${hashes} AS agreement, 1 AS common, 1 AS size_a, 1 AS size_b,
    CASE WHEN same THEN 'identical' ELSE 'same-tokens' END AS kind FROM counted_copies) p
JOIN ${cells} x ON x.doc = p.a JOIN ${cells} y ON y.doc = p.b`,
      columns: ['x', 'y', 'agreement', 'common', 'size_a', 'size_b', 'kind', 'x_place', 'y_place'],
      sort: 'a, b',
    },
    duplicates: {
      sql: `SELECT p.doc, x.name AS x, y.name AS y, p.agreement, p.common, p.size_a, p.size_b, x.place AS x_place
FROM duplicates p JOIN ${cells} x ON x.doc = p.doc JOIN ${cells} y ON y.doc = p.kept`,
      columns: ['x', 'y', 'agreement', 'common', 'size_a', 'size_b', 'x_place'],
      sort: 'doc',
    },
    clusters: {
      sql: `SELECT m.root, m.doc, x.name, x.place, COALESCE(c.agreement, e.agreement, ${hashes}) AS agreement,
  COALESCE(c.common, 1) AS common, COALESCE(c.size_a, 1) AS size_a, COALESCE(c.size_b, 1) AS size_b,
  CASE WHEN m.original = m.root OR ${verify === 'exact' ? 'c.a IS NOT NULL' : '1 = 0'} THEN 'exact' ELSE 'estimate' END AS basis
FROM clustered m JOIN ${cells} x ON x.doc = m.doc
LEFT JOIN compared c ON c.a = m.root AND c.b = m.original LEFT JOIN estimates e ON e.a = m.root AND e.b = m.original`,
      columns: ['root', 'doc', 'name', 'agreement', 'common', 'size_a', 'size_b', 'basis', 'place'],
      sort: 'root, doc',
    },
  };
}
