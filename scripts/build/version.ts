import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The one version of everything. */
export const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly version: string };
