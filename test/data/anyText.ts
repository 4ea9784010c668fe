/** Random texts of all code points but surrogates. The unit `binary` of fast-check takes a second to prepare in each process. */
import fc from 'fast-check';

const SURROGATES = 0x800;

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + SURROGATES));

export function anyText(lengths: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(anyCharacter, lengths).map((characters) => characters.join(''));
}
