/** For its effect: what ends a benchmark is told in a line, without a stack. Wrong flags end it with 2, all else with 1. */
process.on('uncaughtException', (error: Error & { readonly code?: string }) => {
  const isUse = error.code?.startsWith('ERR_PARSE_ARGS') === true || error instanceof WrongUse;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(isUse ? 2 : 1);
});

/** A flag is missing, or its value is not one. */
export class WrongUse extends Error {}

/** The value of a flag that counts something. */
export function countOf(flag: string, value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1)
    throw new WrongUse(`${flag} ${value}: expected a whole number from 1`);
  return count;
}
