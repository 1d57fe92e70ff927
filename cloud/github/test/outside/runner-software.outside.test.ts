import { linuxPlatform } from '../../src/runner-software/contract/linux-bench.test-support.ts';
import { describeRunnerSoftware } from '../../src/runner-software/contract/runner-software.test-support.ts';

describeRunnerSoftware(linuxPlatform);
