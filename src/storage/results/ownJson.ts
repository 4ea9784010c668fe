/**
 * JSON files by which a folder is known as ours.
 *
 * Floor 2. Reads only, never through a link.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOL } from './manifest.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Bytes of a plain file; -1 where there is none. */
export function plainBytes(path: string): number {
  try {
    const stats = lstatSync(path);
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

/** A JSON file of the folder that names us as its tool, or null. */
export function ownJson(dir: string, name: string): JsonObject | null {
  try {
    const path = join(dir, name);
    if (plainBytes(path) < 0) return null;
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isObject(value) && value.tool === TOOL ? value : null;
  } catch {
    // Unreadable or no JSON: it does not say that the folder is ours.
    return null;
  }
}
