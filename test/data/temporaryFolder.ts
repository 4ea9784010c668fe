/** A folder of files for one test, removed after it. Names and paths are binary strings. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { InputFile } from '../../src/readers/list/fileList.js';
import { formatOf } from '../../src/readers/list/formats.js';
import { bytesOf, joinPath } from '../../src/readers/list/pathIds.js';

/** An input file with its index in Inputs.files. */
export type IndexedFile = InputFile & { readonly index: number };

/** Makes a folder with files; a name that ends with `/` is an empty folder. Returns its real path. */
export function temporaryFolder(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): string {
  const folder = folderOf(files);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same for several tests that only read it; removed when the process ends. */
export function sharedFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = folderOf(files);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mr-minhash-test-')));
  for (const [name, content] of Object.entries(files)) {
    const path = joinPath(folder, name);
    if (name.endsWith('/')) mkdirSync(bytesOf(path), { recursive: true });
    else {
      mkdirSync(bytesOf(dirname(path)), { recursive: true });
      writeFileSync(bytesOf(path), content);
    }
  }
  return folder;
}

/** The file as a listing would give it. */
export function inputFile(path: string, index = 0): IndexedFile {
  const bytes = statSync(bytesOf(path)).size;
  const format = formatOf(path, { input: 'auto', textFieldGiven: false });
  return {
    index,
    path,
    id: path.slice(path.lastIndexOf('/') + 1),
    bytes,
    ...format,
    utf16: false,
    stdin: false,
  };
}
