import { describe, expect, it } from 'vitest';
import { linuxPlatform } from '../../src/runner-software/contract/linux-bench.test-support.ts';
import { reasonToSkip } from '../../src/runner-software/contract/original.test-support.ts';
import { originalPlatform } from '../../src/runner-software/contract/original-bench.test-support.ts';
import { describeRunnerSoftware, rowsOf } from '../../src/runner-software/contract/runner-software.test-support.ts';
import { simulatedPlatform } from '../../src/runner-software/contract/simulated-bench.test-support.ts';

const reason = reasonToSkip('fast');

/** Rows that not all three run, and why. */
const reasons: readonly (readonly [rows: RegExp, why: string])[] = [
  [/^config.sh ends with 1 when its version is below/, 'no build of the original is that old'],
  [/^a listener that is stopped while GitHub does not respond waits/, 'the fast build gives a request up earlier'],
  [/^a job fails when the disk of its machine is full/, 'a machine without the right to mount has no small disk'],
  [/^GitHub away \(|^the token service away alone/, 'the simulation is compared with recordings of the original'],
  [/^steps and hooks run in the workspace|^a process that|^the step of a job/, 'steps are processes of Linux'],
];

describe.skipIf(reason !== '')(`GitHub's own runner 2.336.0 ${reason}`, () => {
  const original = originalPlatform('fast');
  describeRunnerSoftware(original);

  it('every row of the contract is run by the stand-in, simulated and on Linux, and by the original, but for those with a reason', () => {
    const { shared, apart } = rowsOf([simulatedPlatform, linuxPlatform, original]);
    console.log(`contract rows, simulated = Linux = original: ${shared.length}`);
    expect(apart.filter((title) => !reasons.some(([rows]) => rows.test(title)))).toEqual([]);
  });
});
