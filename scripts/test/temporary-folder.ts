/** Gives a run of tests, seeds or measurements a temporary folder of its own, which goes with it and with all that is left in there. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const marker = 'DROVER_TEST_TMPDIR';

/** Vitest calls it once for each project of the configuration, in one process. */
export default function ownTemporaryFolder(): void {
  if (process.env[marker] !== undefined) return;
  const folder = mkdtempSync(join(tmpdir(), 'drover-test-'));
  // As the folder around it: some tests run programs as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.env[marker] = folder;
  // After the workers have ended, also when a test failed or the run was interrupted.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
}
