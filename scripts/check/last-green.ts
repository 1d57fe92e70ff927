import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const fileOf = (step: string) => `.cache/check/${step}.json`;

export const digest = (text: string | Buffer) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Digests by name as a step of `npm run check` noted them when it last passed. */
export function lastGreen(step: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(fileOf(step), 'utf8')) as Record<string, string>;
  } catch {
    return {}; // a fresh clone, where everything is checked
  }
}

export function noteGreen(step: string, digests: Readonly<Record<string, string>>): void {
  mkdirSync('.cache/check', { recursive: true });
  writeFileSync(fileOf(step), JSON.stringify(digests));
}
