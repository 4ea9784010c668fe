/**
 * Globs: a glob becomes an automaton, which reads a path once and keeps every state that it may be in. So its time is
 * proportional to the length of the path times that of the glob, whatever they contain; a backtracking matcher takes years for
 * some.
 *
 *     *  ?          any characters, one character: none a slash, nor a dot that begins a name
 *     **            as all of a name: any folders, also none; as the last name all that lies below
 *                   and, where no star stands before it, the folder itself
 *     [a-z] [!a]    one character of a class; [[:alpha:]], and ^ for !
 *     {a,b} {1..9}  one of several, however they are nested; a range of numbers or characters
 *     @(a|b) ?(..) *(..) +(..) !(..)    one of several; at most one; any number; at least one; all of a part of a name but these
 *     \x "..."      literal
 */

/** The fault of a text that is no glob; the message says where and why. */
export class GlobFault extends Error {}

/** One character that is in the ranges (first, last, first, last, ...), or, negated, in none of them. */
interface Character {
  readonly is: 'character';
  readonly ranges: readonly number[];
  readonly isNegated: boolean;
  /** Whether it matches a dot that begins a name. */
  readonly isDot: boolean;
}

type Part =
  | Character
  /** Matches the empty text, but not before a dot that begins a name. */
  | { readonly is: 'no dot' }
  | { readonly is: 'one of' | 'any number of' | 'some of' | 'none of'; readonly of: readonly Parts[] };
type Parts = readonly Part[];

const LONGEST = 4096;
const DEEPEST = 32;
/** Limit of the numbers in a range, because each is a part of its own. */
const WIDEST_RANGE = 1000;
const MOST_STATES = 20_000;

const SLASH = 0x2f;
const DOT = 0x2e;
const EXTENDED = {
  '@': 'one of',
  '?': 'one of',
  '*': 'any number of',
  '+': 'some of',
  '!': 'none of',
} as const;
const RANGE = /\{(?:(-?\d{1,15})\.\.(-?\d{1,15})|([^\\])\.\.([^\\]))\}/uy;
const NAMED_CLASS = /\[:([a-z]+):\]/y;

/** The ranges of named classes: first and last character in turn. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'azAZ09',
  alpha: 'azAZ',
  ascii: '\0\x7f',
  blank: '  \t\t',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '  \t\r',
  upper: 'AZ',
  word: 'azAZ09__',
  xdigit: 'afAF09',
};

const literal = (character: string): Character => {
  const code = character.codePointAt(0)!;
  return { is: 'character', ranges: [code, code], isNegated: false, isDot: true };
};
const IN_NAME: Character = { is: 'character', ranges: [SLASH, SLASH], isNegated: true, isDot: false };
const IN_PATH: Character = { is: 'character', ranges: [], isNegated: true, isDot: false };
const A_SLASH = literal('/');
const ANY_IN_NAME: Part = { is: 'any number of', of: [[IN_NAME]] };
/** `*`; not before a dot that begins a name, so that `*.js` does not match the name `.js`. */
const STAR: Part = { is: 'one of', of: [[{ is: 'no dot' }, ANY_IN_NAME]] };
const ANY_IN_PATH: Part = { is: 'any number of', of: [[IN_PATH]] };
/** Any folders, each with its slash. */
const FOLDERS: Part = { is: 'any number of', of: [[IN_NAME, ANY_IN_NAME, A_SLASH]] };
const AND_BELOW: Part = { is: 'one of', of: [[A_SLASH, ANY_IN_PATH], []] };

class Parser {
  at = 0;
  readonly #glob: string;
  #depth = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  /** Parses the parts up to one of these characters or the end; `at` is there afterwards. */
  sequence(ends: string, beginsName: boolean): Part[] {
    const glob = this.#glob;
    const parts: Part[] = [];
    let isNew = beginsName;
    while (this.at < glob.length && !ends.includes(glob[this.at]!)) {
      const character = String.fromCodePoint(glob.codePointAt(this.at)!);
      const opensGroup = character === '(' || (character in EXTENDED && glob[this.at + 1] === '(');
      if (opensGroup) parts.push(this.#group(character, isNew));
      else if (character === '*') {
        const stars = /\*+/y;
        stars.lastIndex = this.at;
        stars.test(glob);
        const isGlobstar = isNew && stars.lastIndex === this.at + 2;
        this.at = stars.lastIndex;
        const next = glob[this.at] ?? '';
        if (isGlobstar && next === '/') {
          this.at++;
          parts.push(FOLDERS);
          continue;
        }
        if (isGlobstar && (next === '' || ends.includes(next))) {
          if (parts.at(-1) === A_SLASH && parts.at(-2) !== STAR) parts.splice(-1, 1, AND_BELOW);
          else parts.push(ANY_IN_PATH);
        } else parts.push(STAR);
      } else if (character === '?') {
        this.at++;
        parts.push(IN_NAME);
      } else if (character === '[') parts.push(this.#characterClass());
      else if (character === '{') parts.push(...this.#braces(isNew));
      else if (character === '"') {
        const end = glob.indexOf('"', this.at + 1);
        const to = end < 0 ? glob.length : end;
        parts.push(...Array.from(glob.slice(this.at + 1, to), literal));
        this.at = to + 1;
      } else {
        this.at += character.length;
        const isEscape = character === '\\' && this.at < glob.length;
        parts.push(character === '/' ? A_SLASH : literal(isEscape ? this.#taken() : character));
      }
      isNew = parts.at(-1) === A_SLASH;
    }
    return parts;
  }

  /** Returns the character at `at`, and moves `at` behind it. */
  #taken(): string {
    const character = String.fromCodePoint(this.#glob.codePointAt(this.at)!);
    this.at += character.length;
    return character;
  }

  /** Parses several sequences up to the closing bracket; `at` is behind it afterwards. */
  #several(separator: string, close: string, beginsName: boolean): Part[][] {
    const opened = this.at;
    if (++this.#depth > DEEPEST) throw new GlobFault(`brackets are nested more than ${DEEPEST} deep`);
    const found: Part[][] = [];
    do {
      this.at++;
      found.push(this.sequence(separator + close, beginsName));
    } while (this.#glob[this.at] === separator);
    if (this.at >= this.#glob.length) throw notClosed(this.#glob, opened);
    this.at++;
    this.#depth--;
    return found;
  }

  #group(character: string, beginsName: boolean): Part {
    if (character !== '(') this.at++;
    const of = this.#several('|', ')', beginsName);
    if (character === '?') of.push([]);
    return { is: EXTENDED[character as keyof typeof EXTENDED] ?? 'one of', of };
  }

  /** Parses braces. Braces with neither a comma nor a range are literal. */
  #braces(beginsName: boolean): Parts {
    RANGE.lastIndex = this.at;
    const range = RANGE.exec(this.#glob);
    if (range !== null) {
      this.at = RANGE.lastIndex;
      return [range[1] === undefined ? charactersOf(range[3]!, range[4]!) : numbersOf(range[1], range[2]!)];
    }
    const of = this.#several(',', '}', beginsName);
    return of.length > 1 ? [{ is: 'one of', of }] : [literal('{'), ...of[0]!, literal('}')];
  }

  #characterClass(): Character {
    const opened = this.at++;
    const glob = this.#glob;
    const isNegated = glob[this.at] === '!' || glob[this.at] === '^';
    if (isNegated) this.at++;
    const ranges: number[] = [];
    for (let isFirst = true; isFirst || glob[this.at] !== ']'; isFirst = false) {
      if (this.at >= glob.length) throw notClosed(glob, opened);
      NAMED_CLASS.lastIndex = this.at;
      const named = CLASSES[NAMED_CLASS.exec(glob)?.[1] ?? ''];
      if (named === undefined) {
        const from = this.#ofClass();
        const isRange = glob[this.at] === '-' && this.at + 1 < glob.length && glob[this.at + 1] !== ']';
        if (isRange) this.at++;
        ranges.push(from, isRange ? this.#ofClass() : from);
      } else {
        ranges.push(...Array.from(named, (one) => one.charCodeAt(0)));
        this.at = NAMED_CLASS.lastIndex;
      }
    }
    this.at++;
    // A negated class does not match a slash either.
    if (isNegated) ranges.push(SLASH, SLASH);
    return { is: 'character', ranges, isNegated, isDot: true };
  }

  #ofClass(): number {
    const character = this.#taken();
    return (character === '\\' && this.at < this.#glob.length ? this.#taken() : character).codePointAt(0)!;
  }
}

function notClosed(glob: string, at: number): GlobFault {
  return new GlobFault(
    `the ${glob[at]} at character ${at + 1} is not closed (\\${glob[at]} is a literal one)`,
  );
}

function charactersOf(a: string, b: string): Character {
  const ranges = [a.codePointAt(0)!, b.codePointAt(0)!].sort((one, other) => one - other);
  return { is: 'character', ranges, isNegated: false, isDot: true };
}

/** The numbers of a range; padded to the same width where one of its ends begins with a zero. */
function numbersOf(a: string, b: string): Part {
  const from = Math.min(Number(a), Number(b));
  const to = Math.max(Number(a), Number(b));
  if (to - from >= WIDEST_RANGE)
    throw new GlobFault(`{${a}..${b}} stands for more than ${WIDEST_RANGE} numbers`);
  const width = /^-?0\d/.test(a) || /^-?0\d/.test(b) ? Math.max(a.length, b.length) : 0;
  const texts = Array.from({ length: to - from + 1 }, (_, i) => {
    const number = from + i;
    return number < 0 ? `-${String(-number).padStart(width - 1, '0')}` : String(number).padStart(width, '0');
  });
  return { is: 'one of', of: texts.map((text) => Array.from(text, literal)) };
}

/** A state of the automaton. */
type State = Numbered & Kind;

interface Numbered {
  readonly id: number;
  /** The last step that visited it. */
  seen: number;
}

type Kind =
  | { readonly does: 'end' }
  /** Reads a character. */
  | { readonly does: 'take'; readonly character: Character; readonly next: State }
  /** Goes on at both. */
  | { readonly does: 'split'; readonly next: State; other: State }
  /** Fails before a dot that begins a name. */
  | { readonly does: 'stop at dots'; readonly next: State }
  /** Reads a part of a name that the automaton from `refused` does not match. */
  | { readonly does: 'refuse'; readonly refused: State; readonly next: State }
  /** Within such a part: the states in which `refused` is by now. */
  | { readonly does: 'be refusing'; readonly refused: Together; readonly next: State };

/** A set of states that are live together. */
interface Together {
  readonly live: readonly State[];
  readonly beginsName: boolean;
  /** By the code of the next character, the set that follows, as far as it was computed. */
  readonly next: (Together | undefined)[];
  isEnd: boolean | null;
  /** By what follows, the state that refuses what this set matches. */
  readonly refusals: Map<State, State>;
}

const END: State = { does: 'end', id: 0, seen: 0 };

/** Limit of the states in all stored sets; beyond it all sets are deleted, and computed again when needed. */
const MOST_KNOWN = 200_000;

/** In place of a character: the end of the path. */
const NO_CODE = -1;

export class Glob {
  #states = 1;
  #steps = 0;
  readonly #first: Together;
  readonly #known = new Map<string, Together>();
  #size = 0;

  /** @throws GlobFault where the text is no glob */
  constructor(glob: string) {
    if (glob.length > LONGEST) throw new GlobFault(`it is longer than ${LONGEST} characters`);
    this.#first = setOf([this.#sequence(new Parser(glob).sequence('', true), END)], true);
  }

  matches(path: string): boolean {
    let together = this.#first;
    for (let i = 0; i < path.length; i++) {
      const code = path.codePointAt(i)!;
      if (code > 0xffff) i++;
      together = together.next[code] ?? this.#follow(together, code);
      if (together.live.length === 0) return false;
    }
    return this.#isEnd(together);
  }

  #sequence(parts: Parts, next: State): State {
    return parts.reduceRight<State>((after, part) => this.#part(part, after), next);
  }

  #part(part: Part, next: State): State {
    switch (part.is) {
      case 'character':
        return this.#add({ does: 'take', character: part, next });
      case 'no dot':
        return this.#add({ does: 'stop at dots', next });
      case 'one of':
        return this.#oneOf(part.of, next);
      case 'none of':
        return this.#add({ does: 'refuse', next, refused: this.#oneOf(part.of, END) });
      default: {
        const again = this.#add({ does: 'split', next, other: END });
        again.other = this.#oneOf(part.of, again);
        return part.is === 'some of' ? again.other : again;
      }
    }
  }

  #oneOf(several: readonly Parts[], next: State): State {
    const [first, ...others] = several.map((parts) => this.#sequence(parts, next));
    return others.reduce<State>((one, other) => this.#add({ does: 'split', next: one, other }), first!);
  }

  #add<Own extends Kind>(own: Own): Own & Numbered {
    if (this.#states >= MOST_STATES) throw new GlobFault('it is made of too many parts, ranges counted out');
    return { ...own, id: this.#states++, seen: 0 };
  }

  #isEnd(together: Together): boolean {
    together.isEnd ??= this.#step(together, NO_CODE, []);
    return together.isEnd;
  }

  #follow(from: Together, code: number): Together {
    const next: State[] = [];
    this.#step(from, code, next);
    const found = this.#together(next, code === SLASH);
    from.next[code] = found;
    return found;
  }

  #together(states: readonly State[], beginsName: boolean): Together {
    const live = [...new Set(states)].sort((a, b) => a.id - b.id);
    const key = `${beginsName} ${live.map(({ id }) => id).join()}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      this.#size += 10 + live.length;
      if (this.#size > MOST_KNOWN) {
        this.#known.clear();
        this.#first.next.length = this.#size = 0;
      }
      found = setOf(live, beginsName);
      this.#known.set(key, found);
    }
    return found;
  }

  #refusing(refused: Together, next: State): State {
    let found = refused.refusals.get(next);
    if (found === undefined) {
      found = { does: 'be refusing', refused, next, id: this.#states++, seen: 0 };
      refused.refusals.set(next, found);
    }
    return found;
  }

  /**
   * Visits the states that are live before a character of the path, and adds those after the character to `next`. Returns whether
   * a visited state is the end.
   */
  #step({ live, beginsName }: Together, code: number, next: State[]): boolean {
    const step = ++this.#steps;
    const open = live.slice();
    const isHidden = beginsName && code === DOT;
    let isEnd = false;
    while (open.length > 0) {
      const state = open.pop()!;
      if (state.does === 'end') isEnd = true;
      else if (state.seen !== step) {
        state.seen = step;
        if (state.does === 'split') open.push(state.next, state.other);
        else if (state.does === 'take') {
          if (code !== NO_CODE && takes(state.character, code, beginsName)) next.push(state.next);
        } else if (state.does === 'stop at dots') {
          if (!isHidden) open.push(state.next);
        } else if (state.does === 'refuse') {
          if (!isHidden) open.push(this.#refusing(this.#together([state.refused], beginsName), state.next));
        } else {
          const { refused } = state;
          if (!this.#isEnd(refused)) open.push(state.next);
          if (code !== NO_CODE && code !== SLASH)
            next.push(this.#refusing(refused.next[code] ?? this.#follow(refused, code), state.next));
        }
      }
    }
    return isEnd;
  }
}

function setOf(live: readonly State[], beginsName: boolean): Together {
  return { live, beginsName, next: [], isEnd: null, refusals: new Map() };
}

function takes({ ranges, isNegated, isDot }: Character, code: number, beginsName: boolean): boolean {
  if (code === DOT && beginsName && !isDot) return false;
  for (let i = 0; i < ranges.length; i += 2)
    if (code >= ranges[i]! && code <= ranges[i + 1]!) return !isNegated;
  return isNegated;
}
