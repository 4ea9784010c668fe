/**
 * What can be written as JSON and read back the same.
 *
 * Floor 1: a type only.
 */

/** JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
