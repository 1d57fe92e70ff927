/**
 * The host contract on a real Linux, as a program: bundled, it runs as root on a machine that systemd has booted and that has no
 * runner yet. `--minutes`: also the cases that take that long. A line for each case, then exit code 0, or 1 if one failed.
 */
import { runHostContract } from '../../src/host/contract/host-contract.test-support.ts';
import { isBootedBySystemd, linuxRig } from '../../src/host/contract/linux-rig.test-support.ts';

const minutes = process.argv.includes('--minutes');
const rig = linuxRig({ system: isBootedBySystemd(), user: 'nobody', minutes });
const kept = await runHostContract(rig, (outcome) => process.stdout.write(`${JSON.stringify(outcome)}\n`));
rig.kernel.remove(rig.config.runnerDirectory);
process.exit(kept ? 0 : 1);
