export { HostStage, hours, minutes, org, TestApp } from './code-host.test-support.ts';
