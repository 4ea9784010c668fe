/**
 * The pipeline as SQL: one statement per table, from the tables before it. The input are the tables `batches` (batch, spec) and `files`
 * (file, location, location_hex, whole) of batchPlan.ts.
 *
 * A document is `doc = batch * 2^32 + row`: numbers ascend in the order of locations, without counting. Batches of reference documents
 * come first, so numbers are also the keep order. Texts are processed in Node tasks (tasks/); SQL handles integers, ids and 128-bit
 * keys, and never prints fractions, so result files are the same on every engine.
 */
import type { LeaderRule } from '../../../reducers/leaderPairs.js';
import { EMPTY, HAS_ID } from '../../blocks/documents.js';
import { autoCap, SIZE_CLASSES } from '../../sketch/bucketCap.js';
import type { ResultParams } from '../../sketch/params.js';
import { leastAccepted } from '../../sketch/probability.js';
import type { Dialect } from './dialects.js';

/** The parameters of the tasks: JSON. */
export interface TaskParams {
  readonly params: ResultParams;
  /** Thresholds whose drops are counted, ascending; the first is the threshold of the run. */
  readonly thresholds: readonly number[];
  readonly leaders: LeaderRule;
}

/** The parameters of the statements. */
export interface StatementParams extends TaskParams {
  /** Minimum agreement of a pair whose sets are compared; outside exact mode, of a near pair. */
  readonly margin: number;
  /** Minimum agreement of a pair that is kept; others are only counted. */
  readonly cutoff: number;
  /** Minimum agreement of a listed candidate; with `--candidates margin` in exact mode, the minimum similarity. */
  readonly listed: number;
}

/** The names of the tasks of tasks/taskEntry.ts. */
export type TaskName = 'sketch' | 'sets' | 'leaders' | 'drops';

/** A table in the work folder, or a view. */
interface TableStep {
  readonly kind: 'table' | 'view';
  readonly name: string;
  readonly sql: string;
}

/** Passes the rows of `from` through a task: rows with the same `by` through one process, in the order of `sort`. */
export interface TaskStep {
  readonly kind: 'task';
  readonly name: string;
  readonly task: TaskName;
  readonly from: string;
  /** The columns that the task reads. */
  readonly columns: readonly string[];
  readonly by: string;
  readonly sort: string;
  /** The columns that the task emits. */
  readonly emits: Readonly<Record<string, string>>;
  /** Creates the table from the emitted rows, `emitted`. */
  readonly sql: string;
}

/** Steps that are repeated until the query `until` returns 0. `{in}` and `{out}` are the tables of a round. */
interface LoopStep {
  readonly kind: 'loop';
  readonly name: string;
  readonly start: string;
  readonly steps: readonly string[];
  readonly until: string;
}

/** Computes a number from the rows of a query, for `{name}` in later statements. */
interface NumberStep {
  readonly kind: 'number';
  readonly name: string;
  readonly sql: string;
  readonly of: (rows: readonly (readonly number[])[]) => number;
}

/** A query that must not return rows. */
interface CheckStep {
  readonly kind: 'check';
  /** The checked condition, as a sentence. */
  readonly fact: string;
  readonly sql: string;
  /** If true, a row means that an input changed during the run; otherwise that rows were lost. */
  readonly isInput?: true;
}

export type SqlStep = TableStep | TaskStep | LoopStep | NumberStep | CheckStep;

/** Maximum number of documents in a batch: the size of its range of numbers. */
export const ROWS_OF_BATCH = 2 ** 32;
const DOC = 'batch * 4294967296 + row';

const double = (value: number): string => `CAST('${value}' AS DOUBLE)`;

/** The cap between middle and large buckets, from rows (class, pairs); the pairs of class -1 are all documents. */
function capOf(rows: readonly (readonly number[])[]): number {
  const pairs = new Float64Array(SIZE_CLASSES);
  for (const [size, count] of rows) if (size! >= 0) pairs[size!]! += count!;
  return autoCap(pairs, rows.find(([size]) => size === -1)![1]!);
}

/** The steps of a run, in their order. */
export function statements(
  { params, thresholds, margin, cutoff, listed, leaders: rule }: StatementParams,
  d: Dialect,
): SqlStep[] {
  const { verify, exactDuplicates } = params;
  const cap = params.hotBucket === 'auto' ? '{cap}' : String(params.hotBucket);
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
    emits: {
      ...{ batch: 'BIGINT', row: 'BIGINT', file: 'INT', record: 'BIGINT', flags: 'INT', id: 'STRING' },
      ...{ content: 'STRING', text: 'STRING', occurrences: 'BIGINT', tokens: 'BIGINT', bytes: 'BIGINT' },
      ...{ slots: 'STRING', bucket_keys: 'STRING' },
    },
    sql: `SELECT batch, row, file, record, flags, id, content, text, occurrences, tokens, bytes,
  CAST(split(slots, ',') AS ${d.ints}) AS slots, CAST(split(bucket_keys, ',') AS ${d.longs}) AS bucket_keys
FROM emitted`,
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
  CASE WHEN s.record < 0 THEN f.whole ELSE concat(f.location, '#', CAST(l.first_line + s.record + 1 AS STRING)) END AS location
FROM sketched s JOIN first_lines l ON l.batch = s.batch JOIN files f ON f.file = s.file WHERE s.row >= 0`,
  );

  // Duplicate groups: documents with equal content keys. The first document represents the group.
  const group = `FROM (SELECT ${DOC} AS doc, content, text FROM sketched WHERE row >= 0 AND (flags & ${EMPTY}) = 0) x`;
  const inGroup = 'OVER (PARTITION BY content ORDER BY doc)';
  const original = `MIN(doc) OVER (PARTITION BY content) AS original, text = FIRST_VALUE(text) ${inGroup} AS same`;
  if (references === 0) {
    table(
      'copies',
      `SELECT doc, original, same FROM (SELECT doc, ${original} ${group}) y WHERE doc <> original`,
    );
    view('identical', 'SELECT original AS a, doc AS b, same FROM copies');
    view('dropped_copies', 'SELECT doc, original FROM copies');
  } else {
    // The first new document of a group with reference documents is compared, too, with other reference documents.
    const newFirst = `OVER (PARTITION BY content ORDER BY CASE WHEN doc >= ${references} THEN 0 ELSE 1 END, doc)`;
    table(
      'copies',
      `SELECT doc, original, same, newcomer, same_as_newcomer FROM (
  SELECT doc, ${original},
    FIRST_VALUE(doc) ${newFirst} AS newcomer, text = FIRST_VALUE(text) ${newFirst} AS same_as_newcomer
  ${group}) y WHERE doc <> original`,
    );
    const pairsOfNew = onlyAgainst ? ` AND original < ${references}` : '';
    view(
      'identical',
      `SELECT original AS a, doc AS b, same FROM copies WHERE doc >= ${references}${pairsOfNew}
UNION ALL SELECT doc AS a, newcomer AS b, same_as_newcomer AS same FROM copies WHERE doc < ${references} AND newcomer >= ${references}`,
    );
    view('dropped_copies', `SELECT doc, original FROM copies WHERE doc >= ${references}`);
  }

  if (exactDuplicates) {
    view('near', nearOf('copies', '1 = 0'));
    view('counted', 'SELECT a, b, x, y, agreement FROM near');
    view('compared', 'SELECT * FROM near');
  } else pairing();

  // Connected components by alternating stars (Kiveris et al. 2014): `hi` points to a document before it.
  steps.push({
    kind: 'loop',
    name: 'stars',
    start: 'SELECT y AS hi, x AS lo FROM near',
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
    `SELECT n.a FROM near n LEFT JOIN labels v ON v.doc = n.x LEFT JOIN labels w ON w.doc = n.y
WHERE v.root IS NULL OR w.root IS NULL OR v.root <> w.root`,
  );

  // The drop list. Bit k of `kept`: the document is kept at threshold k. Reference documents are never dropped.
  const isNew = references === 0 ? '' : ` WHERE n.y >= ${references}`;
  steps.push({
    kind: 'task',
    name: 'decided',
    task: 'drops',
    from: `SELECT l.root, n.y, n.x, n.level FROM near n JOIN labels l ON l.doc = n.y${isNew}`,
    columns: ['root', 'y', 'x', 'level'],
    by: 'root',
    sort: 'root, y, x',
    emits: { root: 'BIGINT', doc: 'BIGINT', kept: 'INT' },
    sql: 'SELECT doc, kept FROM emitted',
  });
  check(
    'each document that has an earlier near one was decided once',
    `SELECT n.y FROM (SELECT DISTINCT y FROM near n${isNew}) n
LEFT JOIN (SELECT doc, COUNT(*) AS times FROM decided GROUP BY doc) k ON k.doc = n.y WHERE times IS NULL OR times <> 1`,
  );
  view('fallen', 'SELECT doc FROM decided WHERE (kept & 1) = 0');
  // The earlier kept documents that a dropped document is near to. A copy has the near pairs of its original.
  const likeness = isExact ? jaccard('n') : 'n.agreement';
  const same = `1 AS common, 1 AS size_a, 1 AS size_b, ${hashes} AS agreement, ${isExact ? 1 : hashes} AS likeness`;
  const values = 'common, size_a, size_b, agreement';
  const ofPair = `n.common, n.size_a, n.size_b, n.agreement, ${likeness} AS likeness`;
  view(
    'offers',
    `SELECT n.y AS doc, n.x AS kept, ${ofPair}
FROM near n JOIN fallen f ON f.doc = n.y LEFT JOIN fallen g ON g.doc = n.x WHERE g.doc IS NULL
UNION ALL
SELECT c.doc, c.original AS kept, ${same}
FROM dropped_copies c LEFT JOIN fallen g ON g.doc = c.original WHERE g.doc IS NULL${onlyAgainst ? ` AND c.original < ${references}` : ''}
UNION ALL
SELECT c.doc, n.other AS kept, ${ofPair}
FROM dropped_copies c LEFT JOIN fallen f ON f.doc = c.original JOIN (
  SELECT x AS doc, y AS other, ${values} FROM near
  UNION ALL SELECT y AS doc, x AS other, ${values} FROM near) n ON n.doc = c.original
LEFT JOIN fallen g ON g.doc = n.other
WHERE (f.doc IS NOT NULL OR c.original < ${references}) AND g.doc IS NULL AND n.other < c.doc`,
  );
  table(
    'duplicates',
    `SELECT doc, kept, ${values} FROM (
  SELECT o.*, ROW_NUMBER() OVER (PARTITION BY doc ORDER BY likeness DESC, kept) AS n FROM offers o) x WHERE n = 1`,
  );
  const keptCopies = onlyAgainst
    ? ` - (SELECT COUNT(*) FROM dropped_copies c LEFT JOIN fallen f ON f.doc = c.original WHERE c.original >= ${references} AND f.doc IS NULL)`
    : '';
  mustBeZero(
    'each dropped document has a kept one',
    `(SELECT COUNT(*) FROM fallen) + (SELECT COUNT(*) FROM dropped_copies) - (SELECT COUNT(*) FROM duplicates)${keptCopies}`,
  );

  // Clusters: components, and duplicate groups whose members are pairs or near another document.
  const isPair = onlyAgainst
    ? `(c.original < ${references} AND c.newcomer >= ${references})`
    : `(c.original >= ${references} OR c.newcomer >= ${references})`;
  const ofCopies = `FROM copies c LEFT JOIN labels l ON l.doc = c.original${references === 0 ? '' : ` WHERE l.root IS NOT NULL OR ${isPair}`}`;
  table(
    'clustered',
    `SELECT root, doc, original FROM (
  SELECT root, doc, doc AS original FROM labels
  UNION ALL SELECT COALESCE(l.root, c.original) AS root, c.doc, c.original ${ofCopies}
  UNION SELECT COALESCE(l.root, c.original) AS root, c.original AS doc, c.original ${ofCopies}) x`,
  );
  // Similarities to the first document of a cluster: exact if that pair was verified, else estimated.
  if (exactDuplicates) view('estimates', `SELECT doc AS a, doc AS b, 0 AS agreement FROM copies WHERE 1 = 0`);
  else
    view(
      'estimates',
      `SELECT p.a, p.b, CAST(${d.equalSlots('x.slots', 'y.slots')} AS INT) AS agreement FROM (
  SELECT DISTINCT l.root AS a, l.doc AS b FROM labels l LEFT JOIN compared c ON c.x = l.root AND c.y = l.doc
  WHERE l.doc <> l.root AND c.x IS NULL) p
JOIN group_signatures x ON x.doc = p.a JOIN group_signatures y ON y.doc = p.b`,
    );
  // Data for rows of the result: listed candidates, and names and locations of documents.
  const areSets = isExact && !exactDuplicates;
  const columnsOfSets = ['common', 'size_a', 'size_b'].map(
    (name) => `${areSets ? `COALESCE(c.${name}, 0)` : '0'} AS ${name}`,
  );
  view(
    'listed',
    `SELECT p.a, p.b, p.agreement, ${columnsOfSets.join(', ')}, CASE WHEN n.a IS NULL THEN 'no' ELSE 'yes' END AS accepted
FROM counted p LEFT JOIN compared c ON c.a = p.a AND c.b = p.b LEFT JOIN near n ON n.a = p.a AND n.b = p.b
WHERE p.agreement >= ${cutoff} AND ${listedCondition()}`,
  );
  table(
    'names',
    `SELECT d.doc, CASE WHEN (d.flags & ${HAS_ID}) = 0 THEN d.location ELSE d.id END AS name, d.location
FROM documents d
JOIN (SELECT a AS doc FROM listed UNION SELECT b AS doc FROM listed UNION SELECT doc FROM clustered) n ON n.doc = d.doc`,
  );
  return steps;

  /** Whether a pair is listed (listingOf of src/sketch/family.ts). */
  function listedCondition(): string {
    if (params.candidates === 'none') return '1 = 0';
    if (params.candidates === 'margin' && isExact)
      return `(n.a IS NOT NULL OR ${jaccard('c')} >= ${double(listed)})`;
    return `p.agreement >= ${listed}`;
  }

  /** Near pairs with their level: the number of thresholds above that of the run that they reach. */
  function nearOf(from: string, condition: string): string {
    if (exactDuplicates) {
      const columns = ['agreement', 'size_a', 'size_b', 'common', 'level'].map((name) => `0 AS ${name}`);
      return `SELECT original AS a, doc AS b, original AS x, doc AS y, ${columns.join(', ')} FROM ${from} WHERE ${condition}`;
    }
    const reached = thresholds.slice(1).map((threshold) => {
      const least = isExact
        ? `${jaccard('c')} >= ${double(threshold)}`
        : `c.agreement >= ${leastAccepted(threshold, hashes)}`;
      return `CASE WHEN ${least} THEN 1 ELSE 0 END`;
    });
    return `SELECT a, b, x, y, agreement, size_a, size_b, common, ${['0', ...reached].join(' + ')} AS level FROM ${from} c WHERE ${condition}`;
  }

  /** From bucket keys to near pairs. */
  function pairing(): void {
    const isNewcomer = references === 0 ? '' : ` OR (c.doc = c.newcomer AND c.original < ${references})`;
    table(
      'members',
      `SELECT bucket, doc, size FROM (
  SELECT bucket, doc, COUNT(*) OVER (PARTITION BY bucket) AS size FROM (
    SELECT doc, ${d.explode('bucket_keys')} AS bucket FROM (
      SELECT s.batch * 4294967296 + s.row AS doc, s.bucket_keys
      FROM sketched s LEFT JOIN copies c ON c.doc = s.batch * 4294967296 + s.row
      WHERE s.row >= 0 AND (s.flags & ${EMPTY}) = 0 AND (c.doc IS NULL${isNewcomer})) x) y) z WHERE size > 1`,
    );
    if (params.hotBucket === 'auto')
      steps.push({
        kind: 'number',
        name: 'cap',
        sql: `SELECT -1 AS class, COUNT(*) AS pairs FROM sketched WHERE row >= 0 UNION ALL ${pairsBySize()}`,
        of: capOf,
      });
    view('large_members', `SELECT bucket, doc, size FROM members WHERE size > ${cap}`);
    steps.push({
      kind: 'task',
      name: 'large_rows',
      task: 'leaders',
      from: `SELECT m.bucket, m.doc, ${d.listText('s.slots')} AS slots FROM large_members m
JOIN (SELECT ${DOC} AS doc, slots FROM sketched WHERE row >= 0) s ON s.doc = m.doc`,
      columns: ['bucket', 'doc', 'slots'],
      by: 'bucket',
      sort: 'bucket, doc',
      emits: { bucket: 'BIGINT', a: 'BIGINT', b: 'BIGINT', agreement: 'BIGINT' },
      sql: 'SELECT bucket, a, b, agreement FROM emitted',
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
WHERE x.doc < y.doc AND x.size <= ${cap} AND y.size <= ${cap}${counts('x.doc', 'y.doc')}
UNION
SELECT a, b FROM large_rows WHERE a >= 0`,
    );
    // The only statement that shuffles signatures (those of documents in pairs).
    table(
      'signatures',
      `SELECT p.doc, s.slots FROM (SELECT a AS doc FROM candidates UNION SELECT b AS doc FROM candidates) p
JOIN (SELECT ${DOC} AS doc, slots FROM sketched WHERE row >= 0) s ON s.doc = p.doc`,
    );
    const { bands, rows } = params.banding;
    table(
      'agreements',
      `SELECT a, b, agreement, CASE WHEN agreement >= ${cutoff} THEN 1 WHEN ${d.sharesBand('x', 'y', bands, rows)} THEN 1 ELSE 0 END AS is_pair
FROM (SELECT c.a, c.b, x.slots AS x, y.slots AS y, CAST(${d.equalSlots('x.slots', 'y.slots')} AS INT) AS agreement
  FROM candidates c JOIN signatures x ON x.doc = c.a JOIN signatures y ON y.doc = c.b) p`,
    );
    mustBeZero(
      'the agreement of each candidate pair was counted',
      '(SELECT COUNT(*) FROM candidates) - (SELECT COUNT(*) FROM agreements)',
    );
    // Other candidates are collisions of keys.
    view('agreeing', 'SELECT a, b, agreement FROM agreements WHERE is_pair = 1');
    // x and y: the first documents of their groups, x < y. Only the first pair between two groups counts.
    if (references === 0) view('counted', 'SELECT a, b, a AS x, b AS y, agreement FROM agreeing');
    else
      table(
        'counted',
        `SELECT a, b, x, y, agreement FROM (
  SELECT g.*, ROW_NUMBER() OVER (PARTITION BY x, y ORDER BY a, b) AS n FROM (
    SELECT p.a, p.b, p.agreement,
      LEAST(COALESCE(c.original, p.a), COALESCE(d.original, p.b)) AS x,
      GREATEST(COALESCE(c.original, p.a), COALESCE(d.original, p.b)) AS y
    FROM agreeing p LEFT JOIN copies c ON c.doc = p.a LEFT JOIN copies d ON d.doc = p.b) g WHERE x <> y) z WHERE n = 1`,
      );
    view('group_signatures', groupSignatures());
    if (isExact) verification();
    else
      view(
        'compared',
        `SELECT a, b, x, y, agreement, 0 AS size_a, 0 AS size_b, 0 AS common FROM counted WHERE agreement >= ${margin}`,
      );
    const isNear = isExact
      ? `${jaccard('c')} >= ${double(params.threshold)}`
      : verify === 'none'
        ? '1 = 0'
        : '1 = 1';
    view('near', nearOf('compared', isNear));
  }

  /** The pairs that count, by class of the size of their bucket (src/sketch/bucketCap.ts): class k has 2^(k-1) + 1 to 2^k members. */
  function pairsBySize(): string {
    if (references === 0)
      return 'SELECT length(bin(size - 1)) AS class, SUM(size - 1) / 2 AS pairs FROM members GROUP BY length(bin(size - 1))';
    const isReference = `CASE WHEN doc < ${references} THEN 1 ELSE 0 END`;
    const counted = onlyAgainst ? 'known * (size - known)' : '(size * (size - 1) - known * (known - 1)) / 2';
    return `SELECT length(bin(size - 1)) AS class, SUM(${counted}) AS pairs
FROM (SELECT bucket, MAX(size) AS size, SUM(${isReference}) AS known FROM members GROUP BY bucket) b GROUP BY length(bin(size - 1))`;
  }

  /** Signatures by first document of a group. The first document may be a reference document without pairs that has a copy with pairs. */
  function groupSignatures(): string {
    if (references === 0) return 'SELECT doc, slots FROM signatures';
    return `SELECT doc, slots FROM signatures UNION ALL
SELECT c.original AS doc, s.slots FROM signatures s JOIN copies c ON c.doc = s.doc AND c.doc = c.newcomer
LEFT JOIN signatures o ON o.doc = c.original WHERE o.doc IS NULL`;
  }

  /** The second reading: sets of documents in pairs at the margin, and their common elements. */
  function verification(): void {
    view(
      'wanted',
      `SELECT a AS doc FROM counted WHERE agreement >= ${margin} UNION SELECT b AS doc FROM counted WHERE agreement >= ${margin}`,
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
      emits: {
        batch: 'BIGINT',
        row: 'BIGINT',
        content: 'STRING',
        size: 'BIGINT',
        piece: 'BIGINT',
        shingles: 'STRING',
      },
      sql: `SELECT ${DOC} AS doc, content, size, ${d.concatenated('piece', `CAST(split(shingles, ',') AS ${d.longs})`)} AS shingles
FROM emitted GROUP BY batch, row, content, size`,
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
      `SELECT p.a, p.b, p.x, p.y, p.agreement, v.size AS size_a, w.size AS size_b,
  CAST(${d.commonElements('v.shingles', 'w.shingles')} AS BIGINT) AS common
FROM counted p JOIN sets v ON v.doc = p.a JOIN sets w ON w.doc = p.b WHERE p.agreement >= ${margin}`,
    );
    mustBeZero(
      'each pair at the margin was verified',
      `(SELECT COUNT(*) FROM counted WHERE agreement >= ${margin}) - (SELECT COUNT(*) FROM compared)`,
    );
  }
}
