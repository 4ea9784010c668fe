/**
 * Globs as in .gitignore, and braces. Matching backtracks to the last `*` only, in a name and among names, so the time is
 * bounded by the length of the path times that of the glob.
 *
 *     *  ?          any characters, one character; never a slash
 *     **            as a whole name: any number of folders; as the last name: everything below
 *     [a-z] [!a]    one character of a class, or not of it; ^ for !
 *     {a,b}         one of several; may be nested
 *     \x            literal
 */

/** The error for an invalid glob; the message has the position and the reason. */
export class GlobError extends Error {}

const LONGEST = 4096;
/** Maximum number of globs that braces may expand to. */
const MOST_ALTERNATIVES = 1000;

/** One character in the ranges (first, last, first, last, ...) or, if negated, outside them; or any number of characters. */
type Token = { readonly ranges: readonly number[]; readonly isNegated: boolean } | '*';
/** The parts of a name; `**`: any names. */
type Name = readonly Token[] | '**';

const ANY: Token = { ranges: [], isNegated: true };
const GROUP = /[@?*+!]\(/y;
/** A closing bracket that comes first belongs to the class. */
const CLASS = /\[(?:[!^]|(?![!^]))(?:\\.|[^\\])(?:\\.|[^\\\]])*\]/suy;
const PARTS = /\[(?:[!^]|(?![!^]))(?:\\.|[^\\])(?:\\.|[^\\\]])*\]|\\.|./gsu;
const RANGE = /\{[^{},]*\.\.[^{},]*\}/y;

export class Glob {
  readonly #alternatives: readonly (readonly Name[])[];

  /** @throws GlobError if the glob is invalid */
  constructor(glob: string) {
    if (glob.length > LONGEST) throw new GlobError(`it is longer than ${LONGEST} characters`);
    this.#alternatives = alternativesOf(glob).map((text) => text.split('/').map(nameOf));
  }

  matches(path: string): boolean {
    const names = path.split('/').map((name) => Array.from(name, (character) => character.codePointAt(0)!));
    const isName = (name: Name, codes: readonly number[]): boolean =>
      name !== '**' && isMatch(name, codes, '*', isToken);
    return this.#alternatives.some(
      (alternative) =>
        isMatch(alternative, names, '**', isName) &&
        (alternative.at(-1) !== '**' || names.length >= alternative.length),
    );
  }
}

/** Whether a list matches a pattern, in which a `star` matches any number of items. */
function isMatch<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  star: Part,
  isOne: (part: Part, item: Item) => boolean,
): boolean {
  let [at, starAt, tried] = [0, -1, 0];
  for (let i = 0; i < items.length; ) {
    const part = pattern[at];
    if (part === star) {
      starAt = at++;
      tried = i;
    } else if (part !== undefined && isOne(part, items[i]!)) {
      at++;
      i++;
    } else if (starAt < 0) return false;
    else {
      at = starAt + 1;
      i = ++tried;
    }
  }
  while (pattern[at] === star) at++;
  return at === pattern.length;
}

function isToken(token: Token, code: number): boolean {
  if (token === '*') return false;
  const { ranges, isNegated } = token;
  for (let i = 0; i < ranges.length; i += 2)
    if (code >= ranges[i]! && code <= ranges[i + 1]!) return !isNegated;
  return isNegated;
}

/** The globs that the braces of a glob expand to. */
function alternativesOf(glob: string): readonly string[] {
  let at = 0;
  const problem = (why: string): GlobError => new GlobError(`the ${glob[at]} at character ${at + 1} ${why}`);
  const notClosed = (): GlobError => problem(`is not closed (\\${glob[at]} is a literal one)`);
  const sequence = (ends: string): readonly string[] => {
    let found = [''];
    while (at < glob.length && !ends.includes(glob[at]!)) {
      GROUP.lastIndex = RANGE.lastIndex = at;
      if (GROUP.test(glob))
        throw problem(
          'begins a group, which is not read: --include and --exclude may be given together, and repeated',
        );
      if (RANGE.test(glob)) throw problem('begins a range, which is not read: {1,2,3} names each');
      const parts = glob[at] === '{' ? group() : [part()];
      found = found.flatMap((before) => parts.map((text) => before + text));
      if (found.length > MOST_ALTERNATIVES)
        throw new GlobError(`its braces expand to more than ${MOST_ALTERNATIVES} globs`);
    }
    return found;
  };
  const part = (): string => {
    const from = at;
    if (glob[at] === '[') {
      CLASS.lastIndex = at;
      const [text] = CLASS.exec(glob) ?? [];
      if (text === undefined) throw notClosed();
      if (text.includes('[:')) throw problem('has a named class, which is not read: [0-9] and the like are');
      at += text.length;
    } else at += glob[at] === '\\' ? 2 : 1;
    return glob.slice(from, at);
  };
  const group = (): readonly string[] => {
    const opened = at;
    const several: (readonly string[])[] = [];
    do {
      at++;
      several.push(sequence(',}'));
    } while (glob[at] === ',');
    if (at >= glob.length) {
      at = opened;
      throw notClosed();
    }
    at++;
    // Braces without a comma are literal.
    return several.length > 1 ? several.flat() : several[0]!.map((text) => `\\{${text}\\}`);
  };
  return sequence('');
}

function nameOf(name: string): Name {
  if (name === '**') return '**';
  const parts = name.match(PARTS) ?? [];
  return parts.map((text): Token => {
    if (text === '*' || text === '?') return text === '*' ? '*' : ANY;
    if (text.startsWith('[')) return classOf(text.slice(1, -1));
    const code = text.codePointAt(text.startsWith('\\') && text.length > 1 ? 1 : 0)!;
    return { ranges: [code, code], isNegated: false };
  });
}

function classOf(text: string): Token {
  const isNegated = text[0] === '!' || text[0] === '^';
  const ranges: number[] = [];
  const parts = text.slice(isNegated ? 1 : 0).matchAll(/(\\.|.)(?:-(\\.|.))?/gsu);
  const codeOf = (one: string): number => one.codePointAt(one.length > 1 && one.startsWith('\\') ? 1 : 0)!;
  for (const [, first, last] of parts) ranges.push(codeOf(first!), codeOf(last ?? first!));
  return { ranges, isNegated };
}
