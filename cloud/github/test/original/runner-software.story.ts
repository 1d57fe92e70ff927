import { describe } from 'vitest';
import { reasonToSkip } from '../../src/runner-software/contract/original.test-support.ts';
import { originalPlatform } from '../../src/runner-software/contract/original-bench.test-support.ts';
import { describeRunnerSoftware } from '../../src/runner-software/contract/runner-software.test-support.ts';

const reason = reasonToSkip('fast');

describe.skipIf(reason !== '')(`GitHub's own runner 2.336.0 ${reason}`, () => {
  describeRunnerSoftware(originalPlatform('fast'));
});
