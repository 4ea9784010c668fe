/**
 * Parsers with packages that few runs need: each is a bundle of its own (scripts/bundle.mjs), loaded at its first use, at once,
 * because readers do not wait.
 *
 * A new parser is a file beside this one, which imports its package, and of ours types, errors and functions that are bundled with it.
 */
import { createRequire } from 'node:module';
import { PARSERS_FOLDER } from '../../store/packageFiles.js';

interface Parsers {
  readonly htmlText: typeof import('./htmlText.js');
  readonly parquetPages: typeof import('./parquetPages.js');
}

let load: NodeJS.Require | null = null;

export function parser<N extends keyof Parsers>(name: N): Parsers[N] {
  load ??= createRequire(PARSERS_FOLDER);
  return load(`./${name}.cjs`) as Parsers[N];
}
