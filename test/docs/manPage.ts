/**
 * The man page mr-minhash(1) as roff: commands and flags from their tables.
 *
 * Pure. `npm run pages` writes it to docs/mr-minhash.1.
 */
import { COMMANDS, type CommandEntry } from '../../cli/commandTable.js';
import type { CommandFlag } from '../../cli/flags.js';

/** A text escaped so that roff reads none of it as a request or an escape. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}

/** A paragraph with a hanging heading. */
function item(heading: string, text: string): string {
  return `.TP\n${heading}\n${roff(text)}`;
}

/** Names in bold, placeholders in italics: `\fB\-o\fR, \fB\-\-out\fR \fIDIR\fR`. */
function flagItem({ name, letter, placeholder, full }: CommandFlag): string {
  const names = [...(letter === null ? [] : [letter]), name].map((one) => `\\fB${roff(one)}\\fR`).join(', ');
  return item(placeholder === null ? names : `${names} \\fI${placeholder}\\fR`, full);
}

function commandSection({ name, description, argument, groups, notes }: CommandEntry): string {
  const lines = [
    `.SS "mr\\-minhash ${name}"`,
    `\\fBmr\\-minhash ${name}\\fR [\\fIoptions\\fR] \\fI${roff(argument.usage)}\\fR`,
    '.PP',
    roff(description),
    item(`\\fI${roff(argument.usage.replace(/[[\]<>]/g, ''))}\\fR`, argument.text),
  ];
  for (const { title, flags } of groups) {
    lines.push('.PP', `\\fB${roff(title)}\\fR`, ...flags.map(flagItem));
  }
  for (const note of notes) lines.push('.PP', roff(note));
  return lines.join('\n');
}

/** The page, with a line end after every line. */
export function manPage(version: string): string {
  const examples = COMMANDS.flatMap((command) => command.examples);
  const lines = [
    `.\\" Made from the tables of commands and options by npm run pages.`,
    `.TH MR\\-MINHASH 1 "" "mr\\-minhash ${roff(version)}" "User Commands"`,
    '.SH NAME',
    'mr\\-minhash \\- find the near\\-duplicates in a corpus',
    '.SH SYNOPSIS',
    '\\fBmr\\-minhash\\fR \\fIcommand\\fR [\\fIoptions\\fR] \\fIargument\\fR ...',
    '.br',
    '\\fBmr\\-minhash\\fR \\fBhelp\\fR [\\fIcommand\\fR]',
    '.br',
    '\\fBmr\\-minhash\\fR \\fB\\-V\\fR | \\fB\\-\\-version\\fR',
    '.SH DESCRIPTION',
    roff(
      'mr-minhash finds the near-duplicates in a corpus: pairs with their Jaccard similarity, clusters that say how alike ' +
        'they are, and a drop list in which every dropped document has a kept near-duplicate, named with its similarity. ' +
        'The result is a folder of plain files, the same bytes for any number of threads.',
    ),
    '.SH COMMANDS',
    ...COMMANDS.map(commandSection),
    '.SH EXAMPLES',
    '.nf',
    ...examples.map(roff),
    '.fi',
    '.SH EXIT STATUS',
    roff(
      '0 done, 1 failed, 2 wrong use, 3 a pair was accepted (run --fail-on-duplicates), 130 interrupted. ' +
        'Some commands have other meanings for 1 and 2, which are named with them.',
    ),
    '.SH SEE ALSO',
    roff('README.md and docs/ of the package: a walkthrough, every error code, the library.'),
  ];
  return `${lines.join('\n')}\n`;
}
