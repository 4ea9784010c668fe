/**
 * The only file that prints: answers to stdout, messages and progress to stderr.
 *
 * Ids and texts may come from hostile inputs, so none of their control characters reaches the terminal.
 */
import { binaryOfId, idText } from '../src/readers/list/pathIds.js';

/** The methods of a stream that are used; process.stdout and process.stderr have them. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export type Style = 'plain' | 'removed' | 'added' | 'moved' | 'rewritten' | 'dim';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export interface Terminal {
  /** How the user starts the program: the beginning of commands in messages. */
  readonly command: string;
  /** Columns of stdout; if it is not a terminal, the value of COLUMNS, or 80. */
  readonly columns: number;
  /** Columns of stderr if it is a terminal, whose last line can be rewritten; otherwise null. */
  readonly statusColumns: number | null;
  /** Whether styles are shown; without them, texts need marks. */
  readonly colour: boolean;
  /** Whether the locale uses UTF-8, so that Unicode lines and dots can be drawn. */
  readonly utf8: boolean;
  /** Prints one line of the answer, on stdout. */
  print(line: string): void;
  /**
   * Prints one line of the answer: cells of a table, separated by `separator`. On a terminal, control characters are escaped; in TSV
   * they always are, so that no cell has a TAB or a line end.
   */
  printCells(cells: readonly string[], separator: '\t' | ','): void;
  /** Prints one line of the answer in styles; plain without colour. */
  printSpans(spans: readonly Span[]): void;
  /** Prints the answer as one JSON value on one line. */
  printJson(value: unknown): void;
  /** Prints the answer as indented JSON, for people. */
  printPretty(value: unknown): void;
  /** Prints lines of our own help; line ends are kept. */
  printText(text: string): void;
  /**
   * Prints whole lines of the answer, passed as bytes, on stdout; on a terminal they are escaped. Waits until they are written;
   * false if stdout failed or was closed, so that a command can stop. `end` decides whether that is an error.
   */
  passOn(bytes: Uint8Array): Promise<boolean>;
  /** Prints one line for the user, on stderr. */
  say(line: string): void;
  /** Prints lines of our own on stderr. */
  sayText(text: string): void;
  /** Rewrites the status line on stderr; an empty text removes it. Without a terminal it does nothing. */
  status(line: string): void;
  /**
   * Waits for all output. False if some was lost, unless the reader closed the pipe; a loss on stdout is also reported on
   * stderr.
   */
  end(): Promise<boolean>;
}

/** Red, green, cyan, and yellow underlined. */
const STYLES: Readonly<Record<Style, string>> = {
  plain: '',
  removed: '31',
  added: '32',
  moved: '36',
  rewritten: '4;33',
  dim: '2',
};
const USUAL_COLUMNS = 80;

/** C0 and C1 controls, DEL, line and paragraph separator, direction controls, unpaired surrogates. */
const UNSAFE = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;
const UNSAFE_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const SHORT: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** The text on one line, with escapes (`\n`, `\x1b`, `\u202e`) for characters that would control the terminal. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16);
    return SHORT[character] ?? (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`);
  });
}

/** An id of the library as the text of `idText`; `safeText` or JSON then escapes control characters, as in result files. */
export function shownId(id: string): string {
  return idText(binaryOfId(id));
}

/** The most characters of an id on a screen; longer ids are cut. */
const LONGEST_ID = 120;

/** An id for people; of a very long id both ends, `aaa…zzz`. JSON and files have the whole id. */
export function screenId(id: string): string {
  const text = shownId(id);
  if (text.length <= LONGEST_ID) return text;
  const characters = [...text];
  if (characters.length <= LONGEST_ID) return text;
  const half = LONGEST_ID / 2;
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`;
}

/**
 * A terminal over two streams. `environment` decides on colour, which NO_COLOR and TERM=dumb switch off, and on UTF-8,
 * by the first of LC_ALL, LC_CTYPE and LANG that is not empty (POSIX, section 8.2). `script`: the file that was started.
 */
export function createTerminal(
  out: OutputStream,
  err: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
  script = '',
): Terminal {
  const looks = looksOf(out, environment);
  const answer = lineWriter(out);
  const aside = lineWriter(err);
  const status = statusLine(err, aside);
  const line = (writer: Writer, text: string): void => {
    status.clear();
    writer.write(`${text}\n`);
  };
  return {
    command: commandOf(script),
    ...looks,
    statusColumns: err.isTTY === true ? err.columns || USUAL_COLUMNS : null,
    print: (text) => line(answer, safeText(text)),
    printCells: (cells, separator) => line(answer, rowText(cells, separator, out.isTTY === true)),
    printSpans: (spans) => line(answer, spans.map((span) => styled(span, looks.colour)).join('')),
    printJson: (value) => line(answer, safeJson(value)),
    printPretty: (value) => line(answer, safeJson(value, 2)),
    printText: (text) => line(answer, safeLines(text)),
    passOn: (bytes) => answer.passOn(out.isTTY === true ? safeAll(new TextDecoder().decode(bytes)) : bytes),
    say: (text) => line(aside, safeText(text)),
    sayText: (text) => line(aside, safeLines(text)),
    status: status.show,
    end: async () => {
      status.clear();
      const lost = await answer.end();
      if (lost !== null) {
        line(aside, `error: standard output could not be written (${safeText(lost)})`);
        line(aside, 'hint: check where it goes to, and the free space there');
      }
      return (await aside.end()) === null && lost === null;
    },
  };
}

/** The capabilities of stdout: its columns, colours and characters. */
function looksOf(
  out: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<Terminal, 'colour' | 'columns' | 'utf8'> {
  return {
    colour: out.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb',
    columns: (out.isTTY === true && out.columns) || columnsWanted(environment.COLUMNS) || USUAL_COLUMNS,
    utf8: /utf-?8/i.test(environment.LC_ALL || environment.LC_CTYPE || environment.LANG || ''),
  };
}

/** The value of COLUMNS (POSIX, section 8.3); 0 if it is not set. */
function columnsWanted(value = ''): number {
  return /^[1-9]\d{0,4}$/.test(value) ? Number(value) : 0;
}

function rowText(cells: readonly string[], separator: string, isTerminal: boolean): string {
  return (separator === ',' && !isTerminal ? cells : cells.map(safeText)).join(separator);
}

/** The status line on stderr, which is rewritten; without a terminal there is none. */
function statusLine(err: OutputStream, aside: Writer): { clear(): void; show(text: string): void } {
  let shown = false;
  const clear = (): void => {
    if (shown) aside.write('\r\x1b[K');
    shown = false;
  };
  const show = (text: string): void => {
    if (err.isTTY !== true) return;
    clear();
    if (text === '') return;
    aside.write(safeText(text));
    shown = true;
  };
  return { clear, show };
}

/** How the user starts the program: with npx if the started script is a package's link in node_modules, which is not in PATH. */
function commandOf(script: string): string {
  return /[\\/]node_modules[\\/]\.bin[\\/][^\\/]+$/.test(script) ? 'npx mr-minhash' : 'mr-minhash';
}

interface Writer {
  write(text: string): void;
  /** Waits until the bytes are written; false if writing has failed. */
  passOn(bytes: string | Uint8Array): Promise<boolean>;
  /** Waits for all output; the reason why some of it was lost, or null. */
  end(): Promise<string | null>;
}

/** A writer of lines. After the reader closed the pipe (`| head`), which is not an error, it writes nothing more. */
function lineWriter(stream: OutputStream): Writer {
  let failure: NodeJS.ErrnoException | null = null;
  let begun = false;
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    write: (text) => {
      begun = true;
      if (failure === null) stream.write(text);
    },
    passOn: async (bytes) => {
      begun = true;
      if (failure !== null) return false;
      const error = await new Promise<Error | null | undefined>((done) => stream.write(bytes, done));
      return error == null && failure === null;
    },
    end: async () => {
      // Even an empty write to a full device fails, so it is skipped if nothing was written.
      if (begun && failure === null) await new Promise<void>((done) => stream.write('', () => done()));
      return failure === null || failure.code === 'EPIPE' ? null : (failure.code ?? failure.message);
    },
  };
}

function styled(span: Span, colour: boolean): string {
  const text = safeText(span.text);
  return colour && span.style !== 'plain' ? `\x1b[${STYLES[span.style]}m${text}\x1b[0m` : text;
}

function safeLines(text: string): string {
  return safeAll(text.replace(/\n$/, ''));
}

/** `safeText` of each line; the line ends stay. */
function safeAll(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

function safeJson(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(
    UNSAFE_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
