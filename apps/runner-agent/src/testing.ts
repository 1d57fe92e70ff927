export {
  type HostRig,
  hostContract,
  runHostContract,
  skipReason,
  type UnitBehaviour,
} from './host/contract/host-contract.test-support.ts';
