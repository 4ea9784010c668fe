/** Parquet files: rows go and columns come by the writer of results. */
import { renameSync } from 'node:fs';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { guardWrite } from '../../../store/files.js';
import type { AddedColumn } from '../parquet/addedColumns.js';
import type { FileAnnotations } from '../records/annotating.js';
import { KEPT, type RecordCounts, type RecordFates } from '../records/fates.js';

/** Columns of what is known of a file's rows. */
function addedColumns(annotations: FileAnnotations): readonly AddedColumn[] {
  return [
    {
      name: 'cluster',
      type: 'int64',
      valueOf: (row) => annotations.clusterOf(row),
    },
    {
      name: 'kept',
      type: 'boolean',
      valueOf: (row) => !annotations.isDropped(row),
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
  from: string,
  { scratch, to }: { readonly scratch: string; readonly to: string },
  fates: RecordFates & { readonly annotations?: FileAnnotations },
  signal: AbortSignal | undefined,
): Promise<RecordCounts> {
  const { annotations } = fates;
  const columns = annotations === undefined ? undefined : addedColumns(annotations);
  // Few need the writer.
  const { rewriteParquet } = await import('../parquet/rewriteParquet.js');
  const { rows, written } = await rewriteParquet(from, scratch, {
    keeps: (row) => annotations !== undefined || fates.fateOf(row) === KEPT,
    ...(columns !== undefined && { columns }),
    ...(signal !== undefined && { signal }),
  });
  if (annotations !== undefined) annotations.dropped = annotations.droppedBefore(rows);
  guardWrite(textOf(to), () => renameSync(scratch, bytesOf(to)));
  return { records: rows, written, leftOut: rows - written };
}
