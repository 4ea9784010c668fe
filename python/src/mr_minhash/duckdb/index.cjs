/**
 * Takes the place of the package @duckdb/node-api in the package for Python: statements go to the duckdb of Python, in a process of its own
 * (_duckdb.py). Has the part of the package that src/store/duckdb.ts uses.
 */
const { spawn, spawnSync } = require('node:child_process');
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');
const { createInterface } = require('node:readline');

const PYTHON = process.env.MR_MINHASH_PYTHON ?? 'python3';

/** Rows of an appender per request. */
const MOST_ROWS = 10_000;

class DuckDBInstance {
  static async create(_path, settings) {
    return new DuckDBInstance(settings);
  }

  constructor(settings) {
    this.settings = settings;
  }

  async connect() {
    return new Connection(this.settings);
  }

  closeSync() {}
}

class Connection {
  #process;
  #waiting = [];
  #failed = null;

  constructor(settings) {
    this.#process = spawn(PYTHON, ['-m', 'mr_minhash._duckdb'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.on('error', (error) => this.#fail(error));
    // A process that has ended says so below.
    this.#process.stdin.on('error', () => {});
    const lines = createInterface({ input: this.#process.stdout });
    lines.on('line', (line) => this.#waiting.shift()?.(JSON.parse(line)));
    lines.on('close', () => this.#fail(new Error('the duckdb of Python has ended')));
    this.#write({ settings });
  }

  #fail(error) {
    this.#failed ??= error;
    for (const answer of this.#waiting.splice(0)) answer({ error: error.message });
  }

  #write(request) {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
  }

  #ask(request) {
    return new Promise((done) => {
      if (this.#failed !== null) return done({ error: this.#failed.message });
      this.#waiting.push(done);
      this.#write(request);
    });
  }

  async run(sql, values = []) {
    const { rows, error } = await this.#ask({ sql, values });
    if (this.#failed !== null) throw this.#failed;
    if (error !== undefined) throw new Error(error);
    return { getRowObjectsJS: async () => rows.map(withBytes) };
  }

  async createAppender(table) {
    return new Appender((kinds, columns) =>
      this.#ask({ append: table, kinds, columns }).then(({ error }) => {
        // The next statement reports it.
        if (error !== undefined) this.#failed ??= new Error(error);
      }),
    );
  }

  interrupt() {
    this.#write({ interrupt: true });
  }

  closeSync() {
    this.#failed ??= new Error('it is closed');
    this.#process.stdin.end();
    this.#process.kill();
  }
}

function withBytes(row) {
  const values = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null && 'base64' in value
      ? Buffer.from(value.base64, 'base64')
      : value,
  ]);
  return Object.fromEntries(values);
}

/** Collects rows in columns. */
class Appender {
  #give;
  #kinds = [];
  #columns = [];
  #at = 0;

  constructor(give) {
    this.#give = give;
  }

  #append(kind, value) {
    this.#columns[this.#at] ??= [];
    this.#kinds[this.#at] = kind ?? this.#kinds[this.#at] ?? 'DOUBLE';
    this.#columns[this.#at++].push(value);
  }

  appendBigInt(value) {
    this.#append('BIGINT', Number(value));
  }

  appendBoolean(value) {
    this.#append('BOOLEAN', value);
  }

  appendDouble(value) {
    this.#append('DOUBLE', value);
  }

  appendNull() {
    this.#append(null, null);
  }

  endRow() {
    this.#at = 0;
    if (this.#columns[0].length >= MOST_ROWS) this.closeSync();
  }

  closeSync() {
    if (this.#columns.length > 0) this.#give([...this.#kinds], this.#columns);
    this.#columns = [];
  }
}

/** The package itself where it is installed in the current folder, and Python has no duckdb. */
function installed() {
  try {
    return createRequire(join(resolve('.'), 'package.json'))('@duckdb/node-api');
  } catch {
    throw new Error("Python has no duckdb: pip install 'mr-minhash[parquet]'");
  }
}

const hasDuckDb = spawnSync(PYTHON, ['-c', 'import duckdb'], { stdio: 'ignore' }).status === 0;
module.exports = hasDuckDb ? { DuckDBInstance } : installed();
