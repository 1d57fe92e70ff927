import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type Figures, informative, median } from './figures.ts';

const rounds = 5;

/** Processor time of refusing a file with a mistake, as a ratio against the help of the built command. */
export async function benchDrover(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-drover-'));
  try {
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, 'platform_org: example-org\nasg_max: 3\n');
    const help = medianCpu(['--help'], 0);
    const refusal = medianCpu(['local', '--state', join(folder, 'state'), '--fleet', file], 1);
    return {
      'drover.refusal_ratio': atMost(refusal / help, 3, 'times'),
      'drover.help': informative(help, 'ms'),
      'drover.refusal': informative(refusal, 'ms'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const medianCpu = (args: readonly string[], expected: number): number =>
  median(Array.from({ length: rounds }, () => cpuMs(args, expected)));

/** Each in a process that has no other children. */
function cpuMs(args: readonly string[], expected: number): number {
  const script = `
    const { spawnSync } = require('node:child_process');
    const { status } = spawnSync(process.execPath, ${JSON.stringify(['apps/drover/bin/drover.js', ...args])});
    const stat = require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    console.log(status, Number(stat[13]) + Number(stat[14]));`;
  const [status, ticks] = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout.trim().split(' ');
  if (Number(status) !== expected) throw new Error(`drover ${args.join(' ')} ended with ${status}, not ${expected}`);
  return Number(ticks) * msPerTick;
}

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10;
