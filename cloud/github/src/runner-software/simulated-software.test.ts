import { describeRunnerSoftware } from './runner-contract.test-support.ts';
import { simulatedPlatform } from './simulated-bench.test-support.ts';

describeRunnerSoftware(simulatedPlatform);
