/** `--version --verbose`: lists the optional programs and packages, and whether this machine has them. */
import { type ProgramName, programPath } from '../../src/readers/bytes/programs.js';
import { loadDuckDb } from '../../src/store/duckdb.js';
import { VERSION } from '../../src/store/packageFiles.js';

const PROGRAMS: readonly ProgramName[] = ['zstd', 'bzip2', 'xz'];

/** One line per program or package: its name, where it is or how to install it, and what needs it. */
export function installedPrograms(): string[] {
  const programs = PROGRAMS.map((name) => {
    const path = programPath(name);
    return `${name.padEnd(8)}${path ?? `missing: install the program ${name}`} (compressed files)`;
  });
  return [VERSION, `${'node'.padEnd(8)}${process.version}`, ...programs, `${'DuckDB'.padEnd(8)}${duckDb()}`];
}

function duckDb(): string {
  const users = 'apply of Parquet';
  try {
    loadDuckDb('');
    return `@duckdb/node-api is there (${users})`;
  } catch {
    return `missing: npm install @duckdb/node-api (${users})`;
  }
}
