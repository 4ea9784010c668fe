/** Lists the inputs, between the start of the workers and the pipeline. Nothing is written. */

import { MinHashError, type Problem } from '../../errors.js';
import { folderOfUri } from '../../options/conflicts.js';
import { shellPath } from '../../options/shellWord.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import { type Inputs, listInputs } from '../../readers/list/inputs.js';
import { missingColumns } from '../../readers/setHeaders.js';
import type { ResultParams } from '../../sketch/params.js';
import { uncutFiles } from '../apply/records/unitForms.js';
import type { Checked } from './checked.js';
import { unknownField, unknownTextFields } from './missingFields.js';

export interface Prepared extends Checked {
  readonly inputs: Inputs;
}

/** Lists the inputs. @throws MinHashError with all problems of the inputs: files may have changed since the check */
export async function list(
  { params, execution }: Pick<Checked, 'params' | 'execution'>,
  signal?: AbortSignal,
): Promise<Inputs> {
  const { paths, against, out, write, spark } = execution;
  const copiesIn = folderOfUri(spark?.work ?? null) ?? undefined;
  const inputs = await listInputs({ paths, against, outFolder: out, params, copiesIn }, signal);
  const others = [missingColumns(inputs.files, params), unknownField(inputs.files, params)];
  const problems = [
    ...inputs.problems,
    ...unknownTextFields(inputs.files, params),
    ...others.filter((problem) => problem !== null),
  ];
  if (write !== null && (params.unit ?? 'document') !== 'document')
    problems.push(...uncutProblems(inputs.files, params, out));
  if (problems.length > 0) throw new MinHashError(problems);
  return inputs;
}

/** At most this many files with units that cannot be removed are listed in messages; more are counted. */
const MOST_NAMED = 5;

/** Inputs that make --write fail at the end if a document in them is dropped. */
function uncutProblems(files: FileTable, params: ResultParams, out: string): Problem[] {
  const uncut = [...uncutFiles(files, params)];
  if (uncut.length === 0) return [];
  const more = uncut.length > MOST_NAMED ? [`${uncut.length - MOST_NAMED} more files`] : [];
  const details = [...uncut.slice(0, MOST_NAMED), ...more].map((file) => `--write: ${file}`);
  const remedy = `omit --write, and list the documents to remove after the run: mr-minhash apply ${shellPath(out)} --list dropped`;
  return details.map((detail) => ({ code: 'APPLY_REFUSED', detail, remedy }));
}
