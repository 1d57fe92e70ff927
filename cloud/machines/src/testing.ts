export { MachineFixture, readMetadata } from './machine-fixture.test-support.ts';
