import { describeRunnerSoftware } from '../contract/runner-software.test-support.ts';
import { simulatedPlatform } from '../contract/simulated-bench.test-support.ts';

describeRunnerSoftware(simulatedPlatform);
