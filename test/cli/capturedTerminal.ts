/**
 * A terminal whose streams are lists, for tests of the commands.
 */
import { createTerminal, type OutputStream, type Terminal } from '../../cli/terminal.js';

export interface CapturedTerminal {
  readonly terminal: Terminal;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

export interface CaptureOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly environment?: Record<string, string>;
}

export function capturedTerminal(options: CaptureOptions = {}): CapturedTerminal {
  const out: string[] = [];
  const err: string[] = [];
  const stream = (pieces: string[]): OutputStream => ({
    isTTY: options.tty ?? false,
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    write: (text, done) => {
      pieces.push(typeof text === 'string' ? text : Buffer.from(text).toString());
      done?.();
      return true;
    },
    on: () => undefined,
  });
  return {
    terminal: createTerminal(stream(out), stream(err), options.environment ?? {}),
    stdout: () => out.join(''),
    stderr: () => err.join(''),
  };
}
