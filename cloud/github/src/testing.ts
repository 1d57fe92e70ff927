export { HostStage, hours, minutes, org, TestApp } from './code-host.test-support.ts';
export { ActsWorld, requestsOfOfficialClient } from './scale-sets/acts-world.test-support.ts';
