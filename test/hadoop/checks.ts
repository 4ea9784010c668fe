/** Checks of scripts that print a line each and count. */
import { isDeepStrictEqual } from 'node:util';

export class Checks {
  passed = 0;
  failed = 0;

  same(name: string, found: unknown, expected: unknown): void {
    this.count(name, isDeepStrictEqual(found, expected), `expected ${short(expected)}, got ${short(found)}`);
  }

  matches(name: string, found: string, expected: RegExp): void {
    this.count(name, expected.test(found), `expected ${expected}, got ${found}`);
  }

  private count(name: string, holds: boolean, detail: string): void {
    if (holds) this.passed++;
    else this.failed++;
    console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}${holds ? '' : `: ${detail}`}`);
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value instanceof Set ? [...value] : value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
