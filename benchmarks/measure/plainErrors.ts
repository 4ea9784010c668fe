/**
 * Imported for its effect: an error that ends a benchmark is printed on one line, without a stack. Usage errors exit
 * with 2, others with 1.
 */
process.on('uncaughtException', (error: Error & { readonly code?: string }) => {
  const isUse = error.code?.startsWith('ERR_PARSE_ARGS') === true || error instanceof UsageError;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(isUse ? 2 : 1);
});

/** A missing flag, or an invalid value. */
export class UsageError extends Error {}

/** The value of a flag that is a count. */
export function countOf(flag: string, value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1)
    throw new UsageError(`${flag} ${value}: expected a whole number from 1`);
  return count;
}
