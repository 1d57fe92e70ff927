/**
 * Takes a fix out again, in a copy of the tree, and runs a campaign there until an account of the ledger reports the defect: `npm run
 * campaign -- --removed FL-1`. Each fix is a patch in `removed/`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

interface Removal {
  /** The campaign that meets the defect, and the seed from which on it does. */
  readonly scenario: string;
  readonly firstSeed: number;
  /** Part of the sentence of the account. */
  readonly reported: string;
}

/** Most seeds until a defect is reported. */
const mostSeeds = 50;

export const removals: Readonly<Record<string, Removal>> = {
  'FL-1': { scenario: 'again', firstSeed: 49, reported: 'ended-by-our-act' },
  'FL-2': { scenario: 'drains', firstSeed: 1, reported: 'launches in a row failed, and no alarm is on' },
  'FL-3': { scenario: 'fleet-jobs', firstSeed: 1, reported: 'launched while GitHub was away' },
  'FL-8': { scenario: 'again', firstSeed: 12, reported: 'is left at GitHub' },
  'FL-9': { scenario: 'drains', firstSeed: 1, reported: "the fleet's memory has" },
  'UX-1': { scenario: 'again', firstSeed: 47, reported: 'losing it would be final' },
  'UX-2': { scenario: 'histories', firstSeed: 1, reported: 'doctor names none of quorum-lost' },
  'finished-host': { scenario: 'fleet-jobs', firstSeed: 1, reported: 'has nothing to finish and waits for its hook' },
  'CL-2': { scenario: 'upgrade-cluster', firstSeed: 1, reported: 'is in its facts' },
};

export const patchOf = (id: string): string => resolve('scripts/campaign/removed', `${id}.patch`);

/** Exit code: 0 when the defect was reported. */
export function runRemoved(id: string, workers: string): number {
  const removal = removals[id];
  if (removal === undefined) {
    console.error(`there is no fix ${id} to remove; there are: ${Object.keys(removals).join(', ')}`);
    return 2;
  }
  const { scenario, firstSeed, reported } = removal;
  const copy = mkdtempSync(join(tmpdir(), 'drover-removed-'));
  try {
    copyTree(copy);
    // The copy is no repository, whatever lies around it.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(copy) };
    execFileSync('git', ['apply', patchOf(id)], { cwd: copy, env });
    const seeds = ['--first-seed', String(firstSeed), '--seeds', String(mostSeeds), '--workers', workers];
    const words = ['scripts/campaign.ts', '--scenario', scenario, ...seeds, '--until', reported];
    const tsx = 'node_modules/tsx/dist/cli.mjs';
    const ended = spawnSync(process.execPath, [tsx, ...words], { cwd: copy, stdio: 'inherit' });
    console.log(ended.status === 0 ? `\n${id} is reported` : `\n${id} is not reported: ${reported}`);
    return ended.status ?? 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The files of the working tree, with the packages of npm linked and our own as they are in the copy. */
function copyTree(copy: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) cpSync(file, join(copy, file), { recursive: true });
  mkdirSync(join(copy, 'node_modules'));
  for (const entry of readdirSync('node_modules')) {
    if (entry === '@drover') cpSync('node_modules/@drover', join(copy, 'node_modules/@drover'), verbatim);
    else symlinkSync(resolve('node_modules', entry), join(copy, 'node_modules', entry));
  }
}

const verbatim = { recursive: true, verbatimSymlinks: true };
