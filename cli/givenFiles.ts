/** Reads files that are named one by one on the command line, each as one text, unless a run refuses files of its name. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ErrorCode, Fault } from '../src/errors.js';
import { nearestName } from '../src/options/nearestName.js';
import { shownValue } from '../src/options/values.js';
import { findDocuments } from '../src/readers/find.js';
import { copiedSource, isPipe } from '../src/readers/list/addresses.js';
import { formatNamed, formatOf } from '../src/readers/list/formats.js';
import { listInputs } from '../src/readers/list/inputs.js';
import { binaryOf, idText } from '../src/readers/list/pathIds.js';
import { resolveRoots } from '../src/readers/list/roots.js';
import type { ResultParams } from '../src/sketch/params.js';

export interface GivenText {
  /** The id, or the name of the file as typed; a binary string. */
  readonly id: string;
  readonly text: Uint8Array;
}

/** The words of a command's messages about names that are no files. */
interface FileAdvice {
  /** The message about `-`; null: `-` is valid, and means standard input. */
  readonly stdin: string | null;
  /** The words after "expected a file" where a folder is named. */
  folder(name: string): string;
}

/** Reads each file as one text; of a page the visible text, as in a run, which also says what is refused by its name. */
export async function readFiles(
  names: readonly string[],
  params: ResultParams,
): Promise<(GivenText | Fault)[]> {
  const found: (GivenText | Fault)[] = [];
  for (const name of names) {
    const { format } = formatOf(name, { input: 'auto', textFieldGiven: false });
    const isText = params.input === 'auto' && formatNamed(format).holds === 'text';
    const input = isText ? 'auto' : params.input === 'html' ? 'html' : 'text';
    // Flags that choose files of a corpus have no meaning for a named file.
    const asText = { ...params, input, textFieldGiven: false, include: [], exclude: [] } as const;
    const { files, skipped, faults, places } = await listInputs({
      paths: [name],
      outFolder: null,
      params: asText,
    });
    if (faults.length > 0 || places[0]?.kind === 'folder') {
      const detail = `${shownValue(name)}: a directory, expected a file`;
      found.push(faults[0] ?? { code: 'OPTION_INVALID', detail });
      continue;
    }
    let refused: ErrorCode | null = skipped[0]?.code ?? null;
    const met = (_id: string, code: ErrorCode | null): void => {
      refused = code;
    };
    const wanted = new Set(files.length === 0 ? [] : [files.id(0)]);
    const texts = await findDocuments({ files }, asText, wanted, { met });
    const [text] = texts.values();
    const id = binaryOf(name);
    found.push(text === undefined ? { code: refused ?? 'UNREADABLE', detail: idText(id) } : { id, text });
  }
  return found;
}

/**
 * The faults of PATHs of files and directories.
 *
 * @param stdin the message about `-`, to follow that of what is expected
 * @param isReadAgain the inputs are read more than once, which pipes cannot be
 */
export async function pathFaults(
  paths: readonly string[],
  flag: string,
  stdin: string,
  isReadAgain = true,
): Promise<Fault[]> {
  const named = paths.filter((path) => path !== '-');
  const detail = `${flag} -: expected files and directories, standard input cannot be ${stdin}`;
  return [
    ...(named.length < paths.length ? [{ code: 'OPTION_INVALID', detail } as const] : []),
    ...named
      .filter((path) => isReadAgain && isPipe(path))
      .map((path) => ({
        code: 'OPTION_INVALID' as const,
        detail: `${flag} ${shownValue(path)}: a pipe, which can be read only once; expected files and directories`,
      })),
    ...(named.length === 0 ? [] : resolveRoots(named, null).faults),
  ];
}

/** The faults of names that should be files; repeated names are no fault. */
export async function fileFaults(names: readonly string[], advice: FileAdvice): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const name of names) faults.push(...(await faultsOfFile(name, advice)));
  return faults;
}

async function faultsOfFile(name: string, { stdin, folder }: FileAdvice): Promise<Fault[]> {
  if (name === '-') return stdin === null ? [] : [{ code: 'OPTION_INVALID', detail: stdin }];
  const { roots, faults } = resolveRoots([name], null);
  // What a server or a pipe has is known when it is copied.
  if (copiedSource(name) !== null) return [];
  if (faults.some(({ code }) => code === 'PATH_MISSING')) {
    return [{ code: 'PATH_MISSING', detail: JSON.stringify(name) + suggestion(name) }];
  }
  if (faults.some(({ code }) => code === 'PATH_REMOTE')) return faults;
  if (faults.length === 0 && roots[0]!.kind !== 'directory') return [];
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
  const named = near === null || !path.includes('/') ? near : join(folder, near);
  return named === null || named === path ? '' : `, did you mean ${named}?`;
}
