/** The formats that the documents of a run on threads were read as. */
import type { ReadAs } from '../../output/manifest.js';
import type { Prepared } from '../start/prepare.js';
import { FormatCounts } from './formatCounts.js';
import type { Executed } from './makeFacts.js';

/** Documents and files by format; null where documents came from memory. */
export function readAsOf(
  { inputs: { files }, params }: Pick<Prepared, 'inputs' | 'params'>,
  { corpus, outcome }: Pick<Executed, 'corpus' | 'outcome'>,
): ReadAs | null {
  if (files.length === 0) return null;
  const counts = new FormatCounts(files, params);
  if (params.sets !== undefined) counts.sets(corpus.documents);
  else {
    for (const { columns } of corpus.tables) counts.add(columns, 0, columns.file.length, 1);
    for (let d = 0; d < corpus.documents; d++) {
      // A withdrawn unit does not take away its document.
      if (outcome.withdrawn[d] === 0 || params.unit !== 'document') continue;
      const column = corpus.columnOf[d]!;
      counts.add(corpus.tables[corpus.blockOf[d]!]!.columns, column, column + 1, -1);
    }
  }
  return counts.told(corpus.leftOutRecords);
}
