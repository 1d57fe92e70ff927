import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStack } from '@drover/example-local';
import { App } from 'aws-cdk-lib';
import { expect, it, onTestFinished } from 'vitest';
import { simulateReleaseUpgrade } from '../src/scenarios/release/release-upgrade.ts';
import { releasedPrograms, unpackRelease } from './release.ts';

/** `npm run test:thorough` */
const thorough = process.env.DROVER_THOROUGH === '1';

it('a fleet and a cluster of release 0.1.0 are updated under load, with its own programs and Puppet catalogues on its instances: no job, no document and no group is lost, no node is replaced, and a roll brings its programs', {
  skip: !thorough,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const from = unpackRelease('0.1.0', 'local', mkdtempSync(join(folder, 'from-')));
  const app = new App({ outdir: join(folder, 'to') });
  new LocalStack(app);
  const to = app.synth().directory;

  const older = releasedPrograms('0.1.0');
  const { violations, jobs, documents, olderRuns, olderAgents, roll } = await simulateReleaseUpgrade({
    seed: 1,
    from,
    to,
    older,
    hours: 1,
    roll: true,
  });

  expect(violations).toEqual([]);
  expect(olderRuns).toBeGreaterThan(20);
  expect(olderAgents).toBeGreaterThan(1);
  expect(jobs).toBeGreaterThan(10);
  expect(documents).toBeGreaterThan(100);
  console.log(
    `0.1.0 to this release: ${roll.minutes.toFixed(1)} simulated minutes a node, ${roll.copiedBytes} bytes copied`,
  );
  expect(roll).toMatchObject({ replaced: 0, end: 'rolled' });
  expect(roll.minutes).toBeLessThan(5);
});
