/**
 * The words of the command as words of the library: who writes `--max-document 5` and who writes `maxDocument: 5` read of the
 * same fault, each in their own words.
 *
 * Floor 0: imports nothing. Texts are written once, with flags; what is quoted in them is the user's and stays.
 */

/** Texts that speak of commands: what the library says in their place, by code. */
const OWN_WORDS: Readonly<Record<string, { readonly text?: string; readonly remedy?: string }>> = {
  OPTION_INVALID: { remedy: 'the types of the options say what each may be' },
  NO_INPUT: {
    text: 'no path was given',
    remedy: "name at least one file or directory in paths, or '-' for JSON lines from a stream",
  },
  RESULT_DAMAGED: { remedy: 'verifyResult(folder) tells more; a run with force: true makes the result anew' },
  RESUME_MISMATCH: {
    remedy:
      'start over with force: true, or give again what it was given: resume: true and out alone take all options from it',
  },
};

/** Flags that are switches, and flags before a value that the texts of the table name. */
const SWITCHES = /--(force|resume)\b/g;
const VALUES =
  /--([a-z]+(?:-[a-z]+)*)( is)? (skip|fail|text|jsonl|json|sets|exact|signature|none|bytes:k|auto)\b/g;
const NUMBERS = /--(threads) (\d+)/g;

/** What the user wrote stands in quotes. */
const QUOTED_OR_NAME = /"(?:[^"\\]|\\.)*"|(?<![\w-])--([a-z]+(?:-[a-z]+)*)|\bPATH(s?)\b|\bflags\b/g;

function optionName(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A detail with the names of options in the place of flags: `--max-document 5` is `maxDocument 5`. Quoted text stays. */
export function inOptions(text: string): string {
  return text.replace(QUOTED_OR_NAME, (found, flag: string | undefined) => {
    if (flag !== undefined) return optionName(flag);
    return found.startsWith('"') ? found : found === 'flags' ? 'options' : 'paths';
  });
}

function entryInOptions(text: string): string {
  const valued = text
    .replace(SWITCHES, '$1: true')
    .replace(
      VALUES,
      (_, flag: string, is: string | undefined, value: string) =>
        `${optionName(flag)}${is ?? ':'} '${value}'`,
    )
    .replace(NUMBERS, '$1: $2')
    .replace(/\ba PATH\b/g, 'a path');
  return inOptions(valued);
}

/** An entry of the error table in words of the library. */
export function entryInCode(
  code: string,
  { text, remedy }: { readonly text: string; readonly remedy: string },
): { readonly text: string; readonly remedy: string } {
  const own = OWN_WORDS[code];
  return { text: own?.text ?? entryInOptions(text), remedy: own?.remedy ?? entryInOptions(remedy) };
}
