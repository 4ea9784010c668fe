/** What several commands in a row print. */
import { testCases } from './commandCases.js';

testCases('longCases');
