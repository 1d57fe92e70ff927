export { hostContract, runHostContract, skipReason } from './host/contract/host-contract.test-support.ts';
export { contractConfig, type HostRig, type UnitBehaviour } from './host/contract/host-rig.test-support.ts';
