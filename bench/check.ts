import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { atMost, type Figures, informative } from './figures.ts';

/** A file that many others import, and one of its lines before and after. */
const changed = {
  file: 'packages/core/src/edit-distance.ts',
  before: '    const next = [i];',
  after: '    const next: number[] = [i];',
};
const caches = ['check', 'knip', 'cspell', 'types'].map((name) => `.cache/${name}`);

/** CPU time of `npm run check` without its caches, and again after one changed line. CPU time, because a busy machine stretches the rest. */
export async function benchCheck(): Promise<Figures> {
  for (const folder of caches) rmSync(folder, { recursive: true, force: true });
  const cold = cpuSeconds();
  const text = readFileSync(changed.file, 'utf8');
  if (!text.includes(changed.before)) throw new Error(`${changed.file} has no line ${JSON.stringify(changed.before)}`);
  try {
    writeFileSync(changed.file, text.replace(changed.before, changed.after));
    const warm = cpuSeconds();
    return {
      'check.cold': informative(cold, 'CPU seconds'),
      'check.warm': informative(warm, 'CPU seconds'),
      'check.warm_ratio': atMost(warm / cold, 0.45, 'x cold'),
    };
  } finally {
    writeFileSync(changed.file, text);
  }
}

/** Of every process that the check starts, as the shell counts it. */
function cpuSeconds(): number {
  const { status, stdout } = spawnSync('bash', ['-c', 'npm run --silent check >&2 && times'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('npm run check has failed');
  // The second line is that of the shell's children: user and system time, each as 1m2.345s.
  const [, children = ''] = stdout.trim().split('\n');
  return children
    .split(' ')
    .map((time) => /^(\d+)m([\d.]+)s$/.exec(time)!)
    .reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}
