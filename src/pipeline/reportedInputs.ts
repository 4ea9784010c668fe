/**
 * Where the documents of a run come from, for its report.
 *
 * Floor 4.
 */
import { resolve } from 'node:path';
import type { ResultParams } from '../sketch/params.js';
import { isUtf8 } from '../storage/encodings.js';
import { formatOf } from '../storage/formats.js';
import { binaryOf, nameOf, textOf } from '../storage/ids.js';
import { realPathOf, statOf } from '../storage/walk.js';
import type { ReportedInputs } from '../summaryEnd.js';

export function reportedInputs(paths: readonly string[], params: ResultParams): ReportedInputs {
  const [path] = paths;
  if (path === undefined || paths.length > 1) return { path: null, kind: null, id: null };
  if (path === '-') return { path, kind: 'stdin', id: '-' };
  const real = realPathOf(binaryOf(path));
  if (real === null || !statOf(real)?.isFile()) return { path, kind: 'folder', id: null };
  const name = nameOf(binaryOf(resolve(path)));
  const { format, gzip } = formatOf(name, params);
  const kind = format === 'jsonl' && !gzip && isUtf8(params.encoding) ? 'lines' : 'file';
  return { path, kind, id: textOf(name) };
}
