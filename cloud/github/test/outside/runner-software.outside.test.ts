import { linuxPlatform } from '../../src/runner-software/linux-bench.test-support.ts';
import { describeRunnerSoftware } from '../../src/runner-software/runner-contract.test-support.ts';

describeRunnerSoftware(linuxPlatform);
