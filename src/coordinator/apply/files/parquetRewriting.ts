/** Parquet files: rows go and columns come by the writer of results. */
import { renameSync } from 'node:fs';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { guardWrite } from '../../../store/files.js';
import type { FileAnnotations } from '../records/annotating.js';
import { KEPT, type RecordCounts, type RecordFates } from '../records/fates.js';

/** What is asked of the writer of Parquet. */
interface RewriteOptions {
  keeps(row: number): boolean;
  readonly columns?: readonly {
    readonly name: string;
    readonly type: 'int64' | 'boolean' | 'double';
    valueOf(row: number): number | bigint | boolean | null;
  }[];
  readonly signal?: AbortSignal;
}

export type RewriteParquet = (
  from: string,
  to: string,
  options: RewriteOptions,
) => Promise<{ readonly rows: number; readonly written: number }>;

/** The writer, which few need; null: there is none, and files of which rows go are refused. */
export const loadParquetWriter: (() => Promise<RewriteParquet>) | null = null;

/** Columns of what is known of a file's rows. */
function addedColumns(annotations: FileAnnotations): RewriteOptions['columns'] {
  return [
    {
      name: 'cluster',
      type: 'int64',
      valueOf: (row) => annotations.clusterOf(row),
    },
    {
      name: 'kept',
      type: 'boolean',
      valueOf: (row) => {
        const isDropped = annotations.isDropped(row);
        if (isDropped) annotations.dropped++;
        return !isDropped;
      },
    },
    { name: 'similarity', type: 'double', valueOf: (row) => annotations.similarityOf(row) },
  ];
}

/**
 * Writes a file without the rows that go, or with columns.
 *
 * @param from binary string
 * @param scratch a name to write at, on the file system of `to`
 * @param to binary string
 */
export async function rewriteRows(
  rewrite: RewriteParquet,
  from: string,
  { scratch, to }: { readonly scratch: string; readonly to: string },
  fates: RecordFates & { readonly annotations?: FileAnnotations },
  signal: AbortSignal | undefined,
): Promise<RecordCounts> {
  const { annotations } = fates;
  const columns = annotations === undefined ? undefined : addedColumns(annotations);
  const { rows, written } = await rewrite(from, scratch, {
    keeps: (row) => annotations !== undefined || fates.fateOf(row) === KEPT,
    ...(columns !== undefined && { columns }),
    ...(signal !== undefined && { signal }),
  });
  guardWrite(textOf(to), () => renameSync(scratch, bytesOf(to)));
  return { records: rows, written, leftOut: rows - written };
}
