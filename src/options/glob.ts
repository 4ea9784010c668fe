/**
 * Whether a glob is complete: brackets that never close.
 *
 * Floor 4. Pure, and without the matcher itself, which takes time to load and would take such a bracket for a
 * literal one, so that the glob would silently match next to nothing.
 */

/** Of a character class such as `[[:alpha:]_]`: a named class inside it. */
const NAMED_CLASS = /\[:[a-z]+:\]/y;

/**
 * True when a `[`, `(` or `{` is not closed. `\` makes the next character literal, double quotes what is
 * between them, a class everything but its end; a `]` right after `[` or `[^` belongs to the class. A
 * closing bracket too many is literal and no matter.
 */
export function hasOpenBracket(glob: string): boolean {
  let parentheses = 0;
  let braces = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '[') {
      at = classEnd(glob, at);
      if (at < 0) return true;
    } else if (character === '"') at = quoteEnd(glob, at);
    else if (character === '(') parentheses += 1;
    else if (character === ')') parentheses = Math.max(0, parentheses - 1);
    else if (character === '{') braces += 1;
    else if (character === '}') braces = Math.max(0, braces - 1);
  }
  return parentheses + braces > 0;
}

/** The place of the `]` that ends the class that begins at `start`; -1 when none does. */
function classEnd(glob: string, start: number): number {
  const first = glob[start + 1] === '^' ? start + 2 : start + 1;
  for (let at = first; at < glob.length; at++) {
    NAMED_CLASS.lastIndex = at;
    if (glob[at] === '\\') at += 1;
    else if (NAMED_CLASS.test(glob)) at = NAMED_CLASS.lastIndex - 1;
    else if (glob[at] === ']' && at > first) return at;
  }
  return -1;
}

/** The place of the closing double quote, or the end: an unclosed quote makes all the rest literal. */
function quoteEnd(glob: string, start: number): number {
  const end = glob.indexOf('"', start + 1);
  return end < 0 ? glob.length : end;
}
