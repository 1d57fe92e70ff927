export { HostStage, hours, minutes, org, TestApp } from './code-host.test-support.ts';
export { type Build, originalRelease, reasonToSkip } from './runner-software/contract/original.test-support.ts';
export { type OriginalBench, openOriginal } from './runner-software/contract/original-bench.test-support.ts';
export {
  configured,
  listening,
  over,
  type RunningListener,
} from './runner-software/contract/runner-bench.test-support.ts';
export { ActsWorld, requestsOfOfficialClient } from './scale-sets/acts-world.test-support.ts';
