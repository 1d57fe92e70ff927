/** Everything that reads the code without running it: lint and format, types, room borders, dead code, spelling, English. */
import { spawnSync } from 'node:child_process';

const steps = ['lint', 'types', 'borders', 'deadcode', 'spelling', 'english'] as const;
const failed: string[] = [];
for (const step of steps) {
  const startedAt = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`check ${step}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status !== 0) failed.push(step);
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}
