/** Everything that reads the code without running it: lint and format, types, room borders, dead code, spelling, English; two at a time. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

// Longest first.
const steps = ['spelling', 'types', 'deadcode', 'lint', 'english'];
const failed: string[] = [];

async function check(step: string): Promise<void> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', step], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(out);
  process.stderr.write(err);
  console.log(`check ${step}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status !== 0) failed.push(step);
}

async function worker(): Promise<void> {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) await check(step);
}

// Alone: it plants violations in the tree, which the others would find.
await check('borders');
await Promise.all([worker(), worker()]);
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exit(1);
}
