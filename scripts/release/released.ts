/** The files of a release that users install, written once for all stories of this folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { writeInstallable, writeSums } from './release.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of a release. */
    readonly released: string;
  }
}

export default async function setup({ provide }: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-release-'));
  await writeInstallable(folder);
  writeSums(folder);
  provide('released', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
