/** Programs that a machine lacks are reported before anything is read or written, with what to install. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { temporaryFolder } from '../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const COMPRESSED = fileURLToPath(new URL('../../../test/data/packed/', import.meta.url));

interface Ended {
  readonly code: number;
  readonly said: string;
}

function cli(
  cwd: string,
  argv: readonly string[],
  path: string,
  before: string | null = null,
): Promise<Ended> {
  const words = [...(before === null ? [] : ['--require', before]), MAIN, ...argv];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      words,
      { cwd, timeout: 60_000, env: { PATH: path } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
      },
    );
  });
}

const compressedFiles = (t: ExecutionContext): string =>
  temporaryFolder(t, {
    'in/a.jsonl.bz2': readFileSync(join(COMPRESSED, 'one.bz2')),
    'in/b.jsonl.bz2': readFileSync(join(COMPRESSED, 'one.bz2')),
    'in/c.jsonl.xz': readFileSync(join(COMPRESSED, 'one.xz')),
    'in/d.txt': 'a text',
    // Programs in the current folder or in the corpus are not used.
    xz: '#!/bin/sh\nexit 0\n',
  });

test('without the program of a codec a run is rejected with what to install', async (t) => {
  const cwd = compressedFiles(t);
  chmodSync(join(cwd, 'xz'), 0o755);
  const { code, said } = await cli(cwd, ['run', 'in', '--out', 'o'], ':.:');
  t.is(code, 1);
  t.regex(
    said,
    /the program that decompresses the data is missing[^\n]*\n?[^\n]*a\.jsonl\.bz2, and 1 more[\s\S]*install the program bzip2, or decompress the files/,
  );
  t.regex(said, /c\.jsonl\.xz[\s\S]*install the program xz, or decompress the files/);
  t.false(existsSync(join(cwd, 'o')));
});

test('a file whose codec only its first bytes show is skipped and listed', async (t) => {
  const cwd = temporaryFolder(t, {
    'a.txt': readFileSync(join(COMPRESSED, 'one.xz')),
    'b.txt': 'a text of its own',
  });
  const { code } = await cli(cwd, ['run', 'a.txt', 'b.txt', '--out', 'o', '--quiet'], '');
  t.is(code, 0);
  t.regex(
    readFileSync(join(cwd, 'o/skipped.tsv'), 'utf8'),
    /^a\.txt\tskipped\tUNPACKER_MISSING: the program that decompresses the data/m,
  );
});

test('without DuckDB apply of Parquet writes nothing, names the package, and prints the statement', async (t) => {
  const text = ['one text of five words', 'one text of five words'];
  const cwd = temporaryFolder(t, {
    'hide.cjs': `const { Module } = require('node:module');
      const resolve = Module._resolveFilename;
      Module._resolveFilename = function (name, ...rest) {
        if (name.startsWith('@duckdb/')) throw Object.assign(new Error(name), { code: 'MODULE_NOT_FOUND' });
        return resolve.call(this, name, ...rest);
      };`,
  });
  const columnData = [{ name: 'text', data: text, type: 'STRING' as const }];
  writeFileSync(join(cwd, 'a.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
  t.is((await cli(cwd, ['run', 'a.parquet', '--out', 'o', '--quiet'], '')).code, 0);
  const { code, said } = await cli(cwd, ['apply', 'o', '--to', 'clean'], '', join(cwd, 'hide.cjs'));
  t.is(code, 2);
  t.regex(
    said,
    /DuckDB[\s\S]*a\.parquet[\s\S]*npm install @duckdb\/node-api[\s\S]*COPY \(SELECT \* EXCLUDE \(file_row_number\)/,
  );
  t.false(existsSync(join(cwd, 'clean')));
});

test('--version --verbose lists the installed programs', async (t) => {
  const { code, said } = await cli(temporaryFolder(t), ['--version', '--verbose'], '');
  t.is(code, 0);
  t.regex(
    said,
    /^\d+\.\d+\.\d+\nnode +v\d+[\s\S]*^bzip2 +missing: install the program bzip2[\s\S]*^DuckDB +@duckdb\/node-api is there/m,
  );
});
