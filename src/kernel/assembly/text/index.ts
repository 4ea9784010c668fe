/**
 * Text -> shingle hashes. A document comes in blocks; over each block the glue
 * (src/kernel/text/wasmStream.ts) runs
 *
 *      source --textFoldWords------> words parted by blanks --textTokens----------> token hashes --textRollTokens----\
 *             --textFoldCharacters-> characters ------------textCharacterValues-> values ------textRollCharacters-> shingles
 *      bytes ------------------------------------------------textByteValues------> values ------textRollCharacters--/
 *
 *      bytes --textKeyPush--> the key of the text
 *
 * or, for a document of one block, textDocument does all of it and sketches the shingles; textRow also stores the results as a row, and textLines does so for many records.
 */
export {
  textAllCharacters,
  textByteValues,
  textCharacterTable,
  textCharacterValues,
  textRollCharacters,
} from './cyclic';
export { textDocument, textLines, textRow } from './document';
export { textFoldCharacters } from './foldCharacters';
export { textFoldWords } from './foldWords';
export { textKeyBegin, textKeyEnd, textKeyPush } from './key';
export {
  textAllTokens,
  textFinishKey,
  textKeyBytes,
  textRollStopWords,
  textRollTokens,
} from './rolling';
export { textBegin } from './state';
export { textTables, textTablesSize } from './tables';
export { textKeepWord, textTokens, textWordInHand } from './tokens';
export { textDecode } from './utf8';
