import { askClusterDoctor, askFleetDoctor } from '@drover/local/truth/real-doctor';
import type { ControlName, Controls } from '@drover/observation/api';
import type { Finding } from '@drover/operator/doctor/findings';
import { deployWorld, exampleDeployment } from '../../../../packages/local/test/local-world.test-support.ts';
import type { Mode } from './play.ts';
import { type Deployed, faultTools } from './tools.ts';

const minute = 60_000;
const stack = 'drover-local';
const lookEveryMinutes = 5;
const limitMinutes = 120;

/** Findings by their checks. */
interface Findings {
  /** Problems that doctor must find. */
  readonly finds?: readonly string[];
  /** In jobs mode as well. */
  readonly inJobsMode?: readonly string[];
  /** Other findings that may accompany them. */
  readonly also?: readonly string[];
}

/** A control of the page, with what both doctors find once it has lasted ten minutes, and the way out. */
interface ControlRow extends Findings {
  readonly control: ControlName;
  readonly what: string;
  strike(deployed: Deployed): Promise<unknown>;
  /** @default it mends itself */
  heal?(deployed: Deployed): Promise<unknown>;
}

const tool = (control: ControlName, name: string, findings: Findings = {}): ControlRow => {
  const found = faultTools.find((one) => one.name === name)!;
  return { control, what: name, strike: (deployed) => found.strike(deployed), heal: found.heal, ...findings };
};

const act = <Name extends ControlName>(control: Name, what: string, input: Controls[Name]): ControlRow => ({
  control,
  what,
  strike: (deployed) => deployed.control(control, input),
});

const unreadable = ['credentials-rejected', 'token-expires'];
const refreshed = { group: 'search-data' };

/** Every control of the page, in the order of docs/reference/doctor.md. */
export const controlRows: readonly ControlRow[] = [
  act('queue-jobs', 'queue 60 jobs', { count: 60, minutes: 10 }),
  act('set-desired', 'set the desired capacity', { group: 'runners', capacity: 4 }),
  tool('terminate-instance', 'terminate a busy instance'),
  tool('break-instance', 'break a busy instance'),
  tool('hang-instance', 'hang a busy instance'),
  tool('hang-instance', 'hang a data node', { finds: ['missing-nodes'] }),
  tool('fill-disk', 'fill the disk of an instance'),
  tool('fill-disk', 'fill the disk of a data node', {
    finds: ['disk-above-watermark'],
    also: ['no-room-for-lost-zone'],
  }),
  tool('cut-off', 'cut a data node off', { finds: ['missing-nodes'] }),
  tool('slow-network', 'slow-network', { finds: ['function-timeout'], also: ['function-failing', 'alarm-on'] }),
  tool('throttle-functions', 'throttle-functions', {
    finds: ['function-throttling'],
    inJobsMode: ['demand-signal-old'],
    also: ['function-failing'],
  }),
  tool('reclaim-spot', 'reclaim a spot instance'),
  tool('platform-down', 'platform-down', {
    finds: ['platform-unreachable', 'function-failing'],
    inJobsMode: ['demand-signal-old'],
    also: unreadable,
  }),
  tool('platform-rate-limit', 'platform-rate-limit', {
    finds: ['rate-limit-low', 'function-failing'],
    inJobsMode: ['demand-signal-old'],
    also: unreadable,
  }),
  act('start-refresh', 'refresh the data nodes', refreshed),
  {
    control: 'cancel-refresh',
    what: 'cancel the refresh of the data nodes',
    async strike({ local, control }) {
      await control('start-refresh', refreshed);
      await local.clock.advance(minute);
      await control('cancel-refresh', refreshed);
    },
  },
  tool('kill-node', 'kill a data node'),
  tool('kill-node', 'kill a master'),
  tool('lose-zone', 'lose a zone', { finds: ['zone-without-nodes', 'masters-in-one-zone'] }),
  act('change-inputs', 'change the idle target', { idleTarget: 2 }),
  act('clock', 'change the pace', { speed: 600 }),
];

/** Each in both scaling modes, for the scenario `doctor`. */
export const controlCases = controlRows.flatMap((row) => (['idle', 'jobs'] as const).map((mode) => ({ row, mode })));

export interface PlayedControl {
  readonly violations: readonly string[];
  readonly checks: number;
  /** From the mending until doctor found nothing wrong. */
  readonly minutes: number;
}

/** Strikes, lets ten minutes pass, asks both doctors, heals, and asks until nothing is wrong and everything can be read. */
export async function playControl(row: ControlRow, mode: Mode): Promise<PlayedControl> {
  const { what, finds = [], inJobsMode = [], also = [] } = row;
  const choices = { scalingMode: mode, onDemandBaseCapacity: 1 };
  const deployed = await deployWorld(await exampleDeployment(choices), { seed: `control ${what} ${mode}`, choices });
  const { local } = deployed;
  await deployed.control('queue-jobs', { count: 2, minutes: 40 });
  await local.clock.advance(20 * minute);
  const unwell = async (): Promise<readonly Finding[]> => {
    const fleet = await local.fleet.drive(askFleetDoctor(local.fleet, stack), 30 * minute);
    const cluster = await local.fleet.drive(askClusterDoctor(local.cluster, stack), 30 * minute);
    return [...fleet, ...cluster].filter(({ verdict }) => verdict === 'problem' || verdict === 'unknown');
  };
  const text = ({ check, verdict, evidence }: Finding) => `${verdict} ${check}: ${evidence}`;
  const violations = (await unwell()).map((one) => `before ${what} doctor says ${text(one)}`);

  await row.strike(deployed);
  await local.clock.advance(10 * minute);
  const found = await unwell();
  const expected = mode === 'jobs' ? [...finds, ...inJobsMode] : finds;
  const problems = found.filter(({ verdict }) => verdict === 'problem').map(({ check }) => check);
  for (const check of expected)
    if (!problems.includes(check)) violations.push(`ten minutes after ${what} doctor has no ${check}`);
  for (const one of found)
    if (![...expected, ...also].includes(one.check))
      violations.push(`ten minutes after ${what} doctor says ${text(one)}`);
  for (const one of found)
    if (one.verdict === 'problem' && !one.fix) violations.push(`${one.check} of ${what} has no remedy`);

  await row.heal?.(deployed);
  let minutes = 0;
  let left = found;
  for (; left.length > 0 && minutes < limitMinutes; minutes += lookEveryMinutes) {
    await local.clock.advance(lookEveryMinutes * minute);
    left = await unwell();
  }
  violations.push(...left.map((one) => `${minutes} minutes after ${what} was mended doctor says ${text(one)}`));
  return { violations, checks: 2 + expected.length + found.length + minutes / lookEveryMinutes, minutes };
}
