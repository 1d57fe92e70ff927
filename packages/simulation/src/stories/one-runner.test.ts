import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { DeployedFleet } from '@drover/stage/fleet';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { playOneRunner } from './one-runner.ts';

describe("one runner's life on the embedded cloud", { timeout: 300_000 }, () => {
  const groupName = 'runners';
  let assembly: string;
  beforeAll(() => {
    const outdir = mkdtempSync(join(tmpdir(), 'drover-fleet-'));
    assembly = synthesiseFleet(outdir, { groupName, asgMinSize: 1, asgMaxSize: 2, warmPoolMaxSize: 0 });
  });

  const play = async (seed: number, functions: 'source' | 'bundle') => {
    const fleet = new DeployedFleet({ assembly, groupName, seed, functions });
    const checkers = new FleetCheckers(fleet, { allowedDrainTimeMs: 900_000, minSize: 1, maxSize: 2 });
    const lines: string[] = [];
    const promises = await playOneRunner(fleet, (line) => lines.push(line));
    await fleet.drive(checkers.checkAlways(), 60_000);
    await fleet.drive(checkers.checkSecrecy(fleet.secretValues), 60_000);
    const broken = [...promises.filter(({ kept }) => !kept).map(({ promise }) => promise), ...checkers.violations];
    return { broken, lines, digest: fleet.world.engine.journal.digest };
  };

  it.each([1, 2, 3])('keeps every promise with seed %i', async (seed) => {
    const { broken, lines } = await play(seed, 'source');

    expect(broken, lines.join('\n')).toEqual([]);
  });

  it('keeps every promise with the functions exactly as they are packaged', async () => {
    const { broken, lines } = await play(1, 'bundle');

    expect(broken, lines.join('\n')).toEqual([]);
  });

  it('happens the same way twice with one seed', async () => {
    expect((await play(7, 'source')).digest).toBe((await play(7, 'source')).digest);
  });
});
