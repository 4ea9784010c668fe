/** Of several text fields those that no record has, as far as the first records show: the run goes on without them and reports them. */
import { firstRecordsIn, firstRecordsOf, type LinesHead } from '../../readers/ahead/firstRecords.js';
import { textFieldsOf } from '../../readers/formats/fields.js';
import { formatOfKind } from '../../readers/list/formats.js';
import type { Prepared } from '../start/prepare.js';

/** The number of files whose first records are read. */
const MOST_FILES = 100;

/**
 * The names that none of the first records has, in their order; none where a single name is given, because without it there were no
 * result.
 *
 * @param piped the first lines of standard input
 */
export function lackedFieldsOf(
  { inputs: { files }, params }: Pick<Prepared, 'inputs' | 'params'>,
  piped: LinesHead | null,
): readonly string[] {
  const names = textFieldsOf(params.textField).map(({ name }) => name);
  if (names.length === 1 || params.sets !== undefined) return [];
  let lacked = names;
  let looked = 0;
  for (let index = 0; index < files.length && looked < MOST_FILES; index++) {
    const { holds } = formatOfKind(files.kinds[index]!);
    if (holds !== 'records' && holds !== 'either') continue;
    const file = files.file(index);
    const found = file.stdin
      ? piped && firstRecordsIn(piped, file.format, params)
      : firstRecordsOf(file, params);
    if (found === null || found.fields.length === 0) continue;
    looked++;
    lacked = lacked.filter((name) => found.lacked.includes(name));
    if (lacked.length === 0) return [];
  }
  return looked === 0 ? [] : lacked;
}
