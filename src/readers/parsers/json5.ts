/** JSON5. */
import JSON5 from 'json5';

/** The value of a text. @throws SyntaxError */
export function parseJson5(source: string): unknown {
  return JSON5.parse(source);
}
