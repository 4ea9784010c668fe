/** Fenced blocks of a Markdown page, and the paths of the repository that it names. */

export interface Snippet {
  /** The word after the opening fence, or empty. */
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
}

/** Fenced blocks in their order. A fence that is never closed ends with the page. */
export function snippetsOf(page: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { fence: string; language: string; line: number; lines: string[] } | null = null;
  const close = (): void => {
    if (open !== null) {
      const { language, line, lines } = open;
      snippets.push({ language, line, text: lines.join('\n') });
    }
    open = null;
  };
  page.split('\n').forEach((text, i) => {
    const fence = /^(`{3,})(\S*)\s*$/.exec(text);
    if (open === null && fence !== null)
      open = { fence: fence[1]!, language: fence[2]!, line: i + 1, lines: [] };
    else if (open !== null && fence !== null && fence[2] === '' && fence[1]!.length >= open.fence.length)
      close();
    else open?.lines.push(text);
  });
  close();
  return snippets;
}

/** Paths of our folders that a page names, such as `src/errors.ts`, `reducers/dropList` or `src/options*`. */
export function pathsOf(page: string): string[] {
  const found = page.matchAll(/(?<![\w./-])(?:src|mappers|reducers|cli|test|benchmarks)\/[\w./*-]*/g);
  return [...new Set([...found].map(([path]) => path.replace(/[.]+$/, '')))].sort();
}
