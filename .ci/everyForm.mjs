/** Writes one corpus in every form that is read below a folder: node everyForm.mjs FOLDER. Needs a build. */
import { corpusRecords, writeForms } from '../dist/test/forms/forms.js';

await writeForms(process.argv[2], corpusRecords(400));
