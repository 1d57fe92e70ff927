/**
 * Seconds from the start of a machine's first process to its listener's "Listening for Jobs", on real Linux machines: ten boots without an image and ten
 * of a baked one, of the same root filesystem and in the same run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type Figures, informative } from './figures.ts';

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

export async function benchMachines(): Promise<Figures> {
  const file = join(mkdtempSync(join(tmpdir(), 'boots-')), 'figures.json');
  const env = { ...process.env, DROVER_FIGURES: file, DROVER_BOOTS: process.env.DROVER_BOOTS ?? '10' };
  spawnSync('npm', ['run', '--silent', 'test:machines', '--', '--only', 'bake'], { env, stdio: ['ignore', 2, 2] });
  if (!existsSync(file)) throw new Error('the story "bake" has measured nothing; the lines before this one say why');
  const { baked, unbaked } = JSON.parse(readFileSync(file, 'utf8')) as Record<'baked' | 'unbaked', Percentiles>;
  return {
    'machines.boot.baked_p50': atMost(baked.p50, 6, 's'),
    'machines.boot.baked_p95': informative(baked.p95, 's'),
    'machines.boot.unbaked_p50': informative(unbaked.p50, 's'),
    'machines.boot.unbaked_p95': informative(unbaked.p95, 's'),
    'machines.boot.baked_share': atMost(baked.p50 / unbaked.p50, 0.45, 'of unbaked'),
  };
}
