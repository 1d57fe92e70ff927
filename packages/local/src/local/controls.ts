import type { World } from '@drover/cloud-world';
import { TerminalError } from '@drover/core';
import { type ScalingMode, scalingModes } from '@drover/core/names/runner-fleet';
import type { ControlName, Controls } from '@drover/observation/api';
import type { LocalWorld } from './local-world.ts';

const minute = 60_000;
/** On a disk that is full. */
const leftBytes = 100 * 1024 ** 2;

/** Invocations go by the function's name; Lambda's own operations have other limits. */
const anyFunction = /.*[_-].*/;

/** The controls of the console. Each uses the interface that an operator or a failure would use. */
export const controls: {
  readonly [Name in ControlName]: (world: LocalWorld, input: Controls[Name]) => Promise<void> | void;
} = {
  'queue-jobs': (local, { count, minutes, type }) => {
    const many = wholeNumber('count', count, 1, 500);
    const durationMs = wholeNumber('minutes', minutes, 1, 24 * 60) * minute;
    for (let made = 0; made < many; made++) local.enqueue(durationMs, type);
  },
  'set-desired': (local, { group, capacity }) =>
    local.call('autoscaling', 'SetDesiredCapacity', {
      AutoScalingGroupName: text('group', group),
      DesiredCapacity: wholeNumber('capacity', capacity, 0, 1000),
    }),
  'terminate-instance': (local, { instance }) =>
    local.call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId: text('instance', instance),
      ShouldDecrementDesiredCapacity: false,
    }),
  'break-instance': ({ world }, { instance }) => world.machines.kill(launched(world, instance).id),
  'hang-instance': ({ world }, { instance }) => world.machines.crash(launched(world, instance).id),
  'fill-disk': ({ world, cluster }, { instance }) => {
    const machine = world.machines.get(launched(world, instance).id) ?? unknown(instance);
    machine.disk.freeBytes = leftBytes;
    cluster.nodes.get(instance)?.setFreeBytes(leftBytes);
  },
  'cut-off': (local, { instance, on }) => local.cutOff(text('instance', instance), on),
  'slow-network': (local, { on }) =>
    local.fault('slow-network', on ? { effect: { kind: 'slow', ms: 5_000 } } : undefined),
  'throttle-functions': (local, { on }) =>
    local.fault(
      'throttle-functions',
      on ? { service: 'lambda', operation: anyFunction, effect: { kind: 'throttle' } } : undefined,
    ),
  'reclaim-spot': ({ world }, { instance }) => {
    const { id, spot } = launched(world, instance);
    if (!spot) throw new TerminalError(`${id} is not a spot instance`, { remedy: 'only spot instances are reclaimed' });
    world.operate.reclaimSpot(id);
  },
  'platform-down': (local, { on }) =>
    local.fault('platform-down', on ? { service: 'platform', effect: { kind: 'error', status: 503 } } : undefined),
  'platform-rate-limit': (local, { on }) =>
    local.fault('platform-rate-limit', on ? { service: 'platform', effect: { kind: 'throttle' } } : undefined),
  'start-refresh': (local, { group }) =>
    local.call('autoscaling', 'StartInstanceRefresh', { AutoScalingGroupName: text('group', group) }),
  'cancel-refresh': (local, { group }) =>
    local.call('autoscaling', 'CancelInstanceRefresh', { AutoScalingGroupName: text('group', group) }),
  'kill-node': ({ world, cluster }, { instance }) =>
    world.machines.kill(cluster.nodes.has(instance) ? instance : unknown(instance)),
  'lose-zone': (local, { zone, lost }) => local.loseZone(text('zone', zone), lost),
  'change-inputs': (local, { idleTarget, maxSize, drainSeconds, mode }) =>
    local.liveInputs.change({
      ...(idleTarget === undefined ? {} : { idleTarget: wholeNumber('idleTarget', idleTarget, 0, 1000) }),
      ...(maxSize === undefined ? {} : { maxSize: wholeNumber('maxSize', maxSize, 1, 1000) }),
      ...(drainSeconds === undefined ? {} : { drainSeconds: wholeNumber('drainSeconds', drainSeconds, 0, 172_800) }),
      ...(mode === undefined ? {} : { mode: scalingMode(mode) }),
    }),
  clock: ({ pace }, { paused, speed }) => {
    if (speed !== undefined) pace.speed = wholeNumber('speed', speed, 1, 3600);
    if (paused !== undefined) pace.paused = paused;
  },
};

/** Carries out a control, as the user asks for it or when a session is replayed. */
export async function carryOut(local: LocalWorld, name: ControlName, input: never): Promise<void> {
  await local.watch.during(name, input, () => controls[name](local, input));
}

function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw new TerminalError(`${name} is ${JSON.stringify(value)}`, { remedy: `allowed are ${least} to ${most}` });
}

function scalingMode(value: unknown): ScalingMode {
  const mode = scalingModes.find((one) => one === value);
  if (mode !== undefined) return mode;
  throw new TerminalError(`mode is ${JSON.stringify(value)}`, { remedy: `allowed are ${scalingModes.join(' and ')}` });
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TerminalError(`${name} is missing`);
}

function launched({ observe }: World, id: string) {
  return observe.instance(id) ?? unknown(id);
}

function unknown(id: unknown): never {
  throw new TerminalError(`there is no instance ${String(id)} (any more)`);
}
