/** The visible text of HTML. */
import { Parser } from 'htmlparser2';

/** The text that a reader sees. Broken markup never fails. */
export function htmlText(source: string): string {
  const out: string[] = [];
  const parser = new Parser({
    ontext(text) {
      out.push(text);
    },
  });
  parser.end(source);
  return out.join('');
}
