// Text -> shingle hashes. A document comes in blocks; over each block the glue (src/kernel/wasmText.ts) runs
//
//      source --textFoldWords------> words parted by blanks --textTokens----------> token hashes --textRollTokens----\
//             --textFoldCharacters-> characters ------------textCharacterValues-> values ------textRollCharacters-> shingles
//      bytes ------------------------------------------------textByteValues------> values ------textRollCharacters--/
//
//      bytes --textKeyPush--> the key of the text
//
// or, for a document of one block, textDocument does all of it and sketches the shingles.

export {
  textAllCharacters,
  textByteValues,
  textCharacterTable,
  textCharacterValues,
  textRollCharacters,
} from './textCyclic';
export { textDocument, textShingles } from './textDocument';
export { textFoldCharacters } from './textFoldCharacters';
export { textFoldWords } from './textFoldWords';
export { textKeyBegin, textKeyEnd, textKeyPush } from './textKey';
export {
  textAllTokens,
  textFinishKey,
  textKeyBytes,
  textRollStopWords,
  textRollTokens,
} from './textRolling';
export { textBegin } from './textState';
export { textTables, textTablesSize } from './textTables';
export { textKeepWord, textTokens, textWordInHand } from './textTokens';
export { textDecode } from './textUtf8';
