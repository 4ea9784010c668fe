/**
 * Loads parsers whose packages few runs need. Each is a bundle of its own (scripts/bundle.mjs), loaded at its first use. Loading is
 * synchronous, as readers are.
 *
 * A new parser is a file in this directory that imports its package. Functions that it imports from src are bundled with it.
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
