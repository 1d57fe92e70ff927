import type { ControlName } from '../api.ts';

/** Every control that a page may ask for; the compiler keeps it complete. */
const controlNames: Readonly<Record<ControlName, true>> = {
  'queue-jobs': true,
  'set-desired': true,
  'terminate-instance': true,
  'break-instance': true,
  'reclaim-spot': true,
  'platform-down': true,
  'platform-rate-limit': true,
  'start-refresh': true,
  'cancel-refresh': true,
  'kill-node': true,
  'hang-instance': true,
  'fill-disk': true,
  'cut-off': true,
  'slow-network': true,
  'throttle-functions': true,
  'lose-zone': true,
  'change-inputs': true,
  clock: true,
};

export const isControl = (name: string): name is ControlName => Object.hasOwn(controlNames, name);
