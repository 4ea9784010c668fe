/**
 * The options of the Python package, python/src/mr_minhash/_options.py, from the tables of options: names, types and
 * descriptions, as in the help of the commands.
 */
import { defaultText } from '../cli/flags.js';
import { METHOD_NAMES } from '../src/analysis/methods/method.js';
import {
  ESTIMATE_OPTIONS,
  METHOD_OPTIONS,
  type OwnOption,
  QUERY_OPTIONS,
} from '../src/options/queryOptions.js';
import { APPLY_OPTIONS } from '../src/options/resultOptions.js';
import { keysAlsoIn, OPTION_KEYS, OPTIONS, type OptionKey } from '../src/options/table.js';
import type { ValueKind } from '../src/options/values.js';
import { VERSION } from '../src/store/packageFiles.js';

type Rows = Readonly<Record<string, OwnOption>>;

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names of flags as names of keyword arguments. */
const inKeywords = (text: string): string =>
  text
    .replace(/(?<![\w-])--([a-z][a-z-]*)/g, (_, flag: string) => flag.replaceAll('-', '_'))
    .replace(/\bPATH(s?)\b/g, 'path$1');

const PATH = 'str | os.PathLike[str]';
const LIST = 'str | Sequence[str]';

const TYPES: Readonly<Record<Exclude<ValueKind['kind'], 'choice' | 'choices' | 'integer'>, string>> = {
  switch: 'bool',
  fraction: 'float',
  size: 'int | str',
  duration: 'float | str',
  shingle: 'str',
  encoding: 'str',
  separator: 'str',
  quote: 'str',
  globs: LIST,
  settings: LIST,
  keep: 'str',
  normalize: LIST,
  columns: LIST,
  path: PATH,
  paths: `Sequence[${PATH}]`,
  address: 'str',
  words: LIST,
  name: 'str',
};

function typeOf(kind: ValueKind): string {
  const literal = (words: readonly string[]): string =>
    `Literal[${words.map((word) => `'${word}'`).join(', ')}]`;
  if (kind.kind === 'choice') return literal(kind.choices);
  if (kind.kind === 'choices') return `Sequence[${literal(kind.choices)}]`;
  if (kind.kind === 'integer') return kind.word === undefined ? 'int' : `int | ${literal([kind.word])}`;
  return TYPES[kind.kind];
}

/** Lines of at most so many characters, except for longer words. */
function wrapped(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > 110) lines.push('');
    lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines.map((line) => indent + line).join('\n');
}

function classOf(name: string, of: string, rows: Rows): string {
  const docs = Object.entries(rows).map(([key, row]) => {
    const usual = defaultText(row);
    const text = [row.short, row.long].filter((part) => part !== undefined).join('. ');
    const full = `${inKeywords(text)}${usual === null ? '' : ` [default: ${inKeywords(usual)}]`}`;
    return `    ${snake(key)}:\n${wrapped(full.replaceAll('\\', '\\\\'), '        ')}`;
  });
  const fields = Object.entries(rows).map(([key, { kind }]) => `    ${snake(key)}: ${typeOf(kind)} | None`);
  return `class ${name}(TypedDict, total=False):
    """What \`${of}\` can be told.

${docs.join('\n')}
    """

${fields.join('\n')}`;
}

function rowsOf(keys: readonly OptionKey[]): Rows {
  return Object.fromEntries(
    keys.filter((key) => OPTIONS[key].terminal !== true).map((key) => [key, OPTIONS[key]]),
  );
}

function without(table: Rows, ...keys: readonly string[]): Rows {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !keys.includes(key)));
}

const method: OwnOption = {
  kind: { kind: 'choice', choices: METHOD_NAMES },
  placeholder: 'NAME',
  short: 'the values of one method, with a as base and b as document',
};

/** Options that the functions take as `text`, `id` and `exist_ok`. */
const NAMED_IN_PYTHON = ['textField', 'idField', 'force'] as const;

/** The content of the file. */
export function pythonOptions(): string {
  const classes = {
    run: without(rowsOf(OPTION_KEYS), ...NAMED_IN_PYTHON, 'out', 'against'),
    filter: { ...rowsOf(keysAlsoIn('filter')), against: OPTIONS.against },
    query: without({ ...rowsOf(keysAlsoIn('query')), ...QUERY_OPTIONS }, ...NAMED_IN_PYTHON),
    // Input options are for documents in files, which the function does not read.
    compare: {
      ...rowsOf(
        keysAlsoIn('compare').filter(
          (key) => OPTIONS[key].decides === 'result' && OPTIONS[key].group !== 'Input',
        ),
      ),
      ...ESTIMATE_OPTIONS,
      method,
      ...METHOD_OPTIONS,
    },
    apply: without(APPLY_OPTIONS, 'to', 'list', 'null', 'force'),
  };
  const names = new Set([
    'to',
    'paths',
    ...Object.values(classes).flatMap((rows) => Object.keys(rows).map(snake)),
  ]);
  return `"""The options of every call, as the help of the command has them.

\`npm run wheel\` writes this file from the tables of options.
"""

from __future__ import annotations

import os
from typing import Literal, Sequence, TypedDict

VERSION = '${VERSION}'

#: Every keyword, for messages.
NAMES = frozenset(
    '''
${wrapped([...names].sort().join(' '), '    ')}
    '''.split()
)


${Object.entries(classes)
  .map(([of, rows]) => classOf(`${of[0]!.toUpperCase()}${of.slice(1)}Options`, of, rows))
  .join('\n\n\n')}
`;
}
