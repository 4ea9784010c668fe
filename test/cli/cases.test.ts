/** What the main commands print. */
import { testCases } from './commandCases.js';

testCases('cases');
