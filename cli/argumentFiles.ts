/** Reads files whose names are arguments, each as one text, unless a run rejects files of that name. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ErrorCode, Problem } from '../src/errors.js';
import { nearestName } from '../src/options/nearestName.js';
import { shownValue } from '../src/options/values.js';
import { findDocuments } from '../src/readers/find.js';
import { copiedSource, isPipe } from '../src/readers/list/addresses.js';
import { formatNamed, formatOf } from '../src/readers/list/formats.js';
import { listInputs } from '../src/readers/list/inputs.js';
import { binaryOf, idText } from '../src/readers/list/pathIds.js';
import { resolveRoots } from '../src/readers/list/roots.js';
import type { ResultParams } from '../src/sketch/params.js';

export interface ArgumentText {
  /** The id, or the name of the file as typed; a binary string. */
  readonly id: string;
  readonly text: Uint8Array;
}

/** Parts of a command's messages about arguments that are not files. */
interface FileAdvice {
  /** The message about `-`; null if `-` means standard input. */
  readonly stdin: string | null;
  /** The text after "expected a file" if the argument is a directory. */
  folder(name: string): string;
}

/** Reads each file as one text, as a run does; of an HTML page the visible text. */
export async function readFiles(
  names: readonly string[],
  params: ResultParams,
): Promise<(ArgumentText | Problem)[]> {
  const texts: (ArgumentText | Problem)[] = [];
  for (const name of names) {
    const { format } = formatOf(name, { input: 'auto', textFieldGiven: false });
    const isText = params.input === 'auto' && formatNamed(format).holds === 'text';
    const input = isText ? 'auto' : params.input === 'html' ? 'html' : 'text';
    // Flags that choose files of a corpus are meaningless for one file.
    const asText = { ...params, input, textFieldGiven: false, include: [], exclude: [] } as const;
    const { files, skipped, problems, places } = await listInputs({
      paths: [name],
      outFolder: null,
      params: asText,
    });
    if (problems.length > 0 || places[0]?.kind === 'folder') {
      const detail = `${shownValue(name)}: a directory, expected a file`;
      texts.push(problems[0] ?? { code: 'OPTION_INVALID', detail });
      continue;
    }
    let refused: ErrorCode | null = skipped[0]?.code ?? null;
    const met = (_id: string, _place: string, code: ErrorCode | null): void => {
      refused = code;
    };
    const wanted = new Set(files.length === 0 ? [] : [files.id(0)]);
    const contents = await findDocuments({ files }, asText, wanted, { met });
    const [text] = contents.values();
    const id = binaryOf(name);
    texts.push(text === undefined ? { code: refused ?? 'UNREADABLE', detail: idText(id) } : { id, text });
  }
  return texts;
}

/**
 * The errors of PATHs of files and directories.
 *
 * @param stdin why `-` is not allowed, to complete the message
 * @param isReadAgain the inputs are read more than once, which is impossible for pipes
 */
export async function pathProblems(
  paths: readonly string[],
  flag: string,
  stdin: string,
  isReadAgain = true,
): Promise<Problem[]> {
  const files = paths.filter((path) => path !== '-');
  const detail = `${flag} -: expected files and directories, standard input cannot be ${stdin}`;
  return [
    ...(files.length < paths.length ? [{ code: 'OPTION_INVALID', detail } as const] : []),
    ...files
      .filter((path) => isReadAgain && isPipe(path))
      .map((path) => ({
        code: 'OPTION_INVALID' as const,
        detail: `${flag} ${shownValue(path)}: a pipe, which can be read only once; expected files and directories`,
      })),
    ...(files.length === 0 ? [] : resolveRoots(files, null).problems),
  ];
}

/** The errors of arguments that should be files; repeated names are allowed. */
export async function fileProblems(names: readonly string[], advice: FileAdvice): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const name of names) problems.push(...(await problemsOfFile(name, advice)));
  return problems;
}

async function problemsOfFile(name: string, { stdin, folder }: FileAdvice): Promise<Problem[]> {
  if (name === '-') return stdin === null ? [] : [{ code: 'OPTION_INVALID', detail: stdin }];
  const { roots, problems } = resolveRoots([name], null);
  // The contents of a server or a pipe are known only after they are copied.
  if (copiedSource(name) !== null) return [];
  if (problems.some(({ code }) => code === 'PATH_MISSING')) {
    return [{ code: 'PATH_MISSING', detail: JSON.stringify(name) + suggestion(name) }];
  }
  if (problems.some(({ code }) => code === 'PATH_REMOTE')) return problems;
  if (problems.length === 0 && roots[0]!.kind !== 'directory') return [];
  const detail = `${shownValue(name)}: a directory, expected a file${folder(name)}`;
  return [{ code: 'OPTION_INVALID', detail }];
}

function suggestion(path: string): string {
  const folder = dirname(path);
  let entries: string[];
  try {
    entries = readdirSync(folder).sort();
  } catch {
    return '';
  }
  const near = nearestName(basename(path), entries);
  const suggested = near === null || !path.includes('/') ? near : join(folder, near);
  return suggested === null || suggested === path ? '' : `, did you mean ${suggested}?`;
}
