import { expect, it } from 'vitest';
import type { FleetInstance, Runner } from '../model/fleet.ts';
import { decideRollout, type RolloutFacts } from './decide-rollout.ts';

const now = 10_000_000_000;
const days = (count: number) => count * 86_400_000;
const member = (id: string, lifecycleState = 'InService'): FleetInstance => ({
  id,
  lifecycleState,
  healthy: true,
  protectedFromScaleIn: false,
  inWarmPool: false,
});
const runner = (name: string, change: Partial<Runner> = {}): Runner => ({
  id: Number(name.slice(2)),
  name,
  status: 'online',
  busy: false,
  labels: [`instance_id:${name}`, 'installation_id:fleet', 'self-hosted'],
  version: '2.336.0',
  ...change,
});
const own = (name: string) => ({ labels: [`instance_id:${name}`, 'installation_id:fleet'] });

function steps(
  runners: readonly Runner[],
  change: {
    readonly instances?: readonly FleetInstance[];
    readonly endsInDays?: number;
    readonly reported?: string;
  } = {},
): string[] {
  const instances = change.instances ?? runners.map(({ name }) => member(name));
  const ends: Record<string, number> =
    change.endsInDays === undefined ? {} : { '2.336.0': now + days(change.endsInDays) };
  const facts: RolloutFacts = {
    group: { name: 'fleet', minSize: 0, maxSize: 99, desiredCapacity: 1, instances, hasWarmPool: false },
    release: { version: '2.337.0', checksum: 'a'.repeat(64), checkedAt: now, ends },
    runners: new Map(runners.map((each) => [each.name, each])),
    reportedVersion: () => change.reported,
  };
  return decideRollout(facts, now).map(({ instance, step }) => `${step} ${instance.id}`);
}

it('an idle runner of an older version loses its labels, one at a time in a small fleet', () => {
  expect(steps([runner('i-1', { version: '2.337.0' }), runner('i-2'), runner('i-3')])).toEqual(['take-labels i-2']);
});

it('one in twenty runners of a large fleet leaves at a time', () => {
  expect(steps(Array.from({ length: 60 }, (_, index) => runner(`i-${index + 1}`)))).toHaveLength(3);
});

it('a runner without labels is replaced, and nothing else begins meanwhile', () => {
  expect(steps([runner('i-1'), runner('i-2', own('i-2'))])).toEqual(['replace i-2']);
});

it('no replacement begins while the group launches or terminates an instance', () => {
  for (const state of ['Pending:Wait', 'Terminating:Wait'])
    expect(steps([runner('i-1')], { instances: [member('i-1'), member('i-9', state)] })).toEqual([]);
});

it('a busy runner keeps its labels until ten days before the end of its version', () => {
  const busy = [runner('i-1', { busy: true })];
  expect([steps(busy), steps(busy, { endsInDays: 11 }), steps(busy, { endsInDays: 9 })]).toEqual([
    [],
    [],
    ['take-labels i-1'],
  ]);
});

it('the report of a host tells the version where the platform does not, and an unknown version stays', () => {
  const { version: _, ...untold } = runner('i-1');
  expect([steps([untold]), steps([untold], { reported: '2.336.0' })]).toEqual([[], ['take-labels i-1']]);
});

it('an offline runner and a newer version than the mirrored one stay', () => {
  expect(steps([runner('i-1', { status: 'offline' }), runner('i-2', { version: '2.338.0' })])).toEqual([]);
});
