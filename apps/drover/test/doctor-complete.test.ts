import { readFileSync } from 'node:fs';
import { exitCodes as cliExitCodes } from '@drover/cluster-cli/exit-codes';
import { alarmName as fleetAlarm } from '@drover/core/names/runner-fleet';
import { alarmName as clusterAlarm, uiAlarmName } from '@drover/core/names/search-cluster';
import { exitCodes } from '@drover/operator/exit-codes';
import { describe, expect, it } from 'vitest';
import { controls } from '../../../packages/local/src/local/controls.ts';
import { alarmMeanings as clusterMeanings } from '../../../packages/operator/src/cluster/alarms.ts';
import { clusterChecks } from '../../../packages/operator/src/cluster/doctor/checks.ts';
import { alarmMeanings as fleetMeanings } from '../../../packages/operator/src/fleet/alarms.ts';
import { fleetChecks } from '../../../packages/operator/src/fleet/doctor/checks.ts';
import { clusterTroubles } from '../../../packages/simulation/src/doctor/cluster-troubles.ts';
import { fleetTroubles } from '../../../packages/simulation/src/doctor/fleet-troubles.ts';
import { controlRows } from './page/controls.ts';

const page = readFileSync(new URL('../../../docs/reference/doctor.md', import.meta.url), 'utf8');

/** The cells of each row of the table below a heading. */
function rowsOf(heading: string): string[][] {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | '));
}

const plain = (cell = '') => cell.replaceAll('`', '');
const firstOf = (heading: string) => rowsOf(heading).map(([cell]) => plain(cell));
const namesOf = (checks: readonly { readonly check: string }[]) => checks.map(({ check }) => check);
const known = new Set([...namesOf(fleetChecks('jobs')), ...namesOf(clusterChecks)]);

/** `errors` for `errors-<function>`. */
const alarmsOf = (names: Readonly<Record<string, (subject: string) => string>>) =>
  Object.values(names).map((name) => name('X').replace(/-X$/, ''));

/** Findings of a fleet that no trouble of the campaign causes, and why. */
const withoutFleetTrouble: Readonly<Record<string, string>> = {
  's3-through-nat': 'it is advice while all is well; fleet-doctor.test.ts reads it and carries it out',
};

/** Alarms of a fleet that no trouble of the campaign turns on, and why. */
const withoutTrouble: Readonly<Record<string, string>> = {
  idle_runners_low: 'it changes the size of the group',
  idle_runners_none: 'it changes the size of the group',
  idle_runners_high: 'it changes the size of the group',
  runners_offline:
    'no fault of the embedded cloud keeps one listener from GitHub for 20 minutes while its agent starts it again',
};

describe('the troubles of a fleet, whose printed remedies `npm run campaign -- --scenario doctor` carries out', () => {
  it('there is a trouble for every finding of drover fleet doctor, in the order of its table', () => {
    const found = namesOf(fleetChecks('jobs')).filter((check) => !(check in withoutFleetTrouble));
    expect([...new Set(fleetTroubles.map(({ check }) => check))]).toEqual(found);
  });

  it('there is a trouble that turns on each alarm of a fleet, or the reason why there is none', () => {
    const turnedOn = new Set(fleetTroubles.flatMap(({ alarms = [] }) => alarms));
    const known = [...turnedOn, ...Object.keys(withoutTrouble)];
    expect(known.toSorted()).toEqual(alarmsOf(fleetAlarm).toSorted());
  });
});

/** Findings of a cluster that no trouble of the campaign causes, and why. */
const withoutRemedy: Readonly<Record<string, string>> = {
  'quorum-lost':
    'the remedy is another cluster, which stories of recovery build; cluster-doctor.test.ts reads the finding',
  'remote-agent-failing':
    'no machine of the embedded cloud loses its agent for good; debian-cluster.test.ts reads the finding',
  'software-roll':
    'it takes a deployment of other software; cluster-roll.test.ts causes it, reads it and carries out both remedies',
  'password-announced':
    'it takes a rotation; cluster-year.test.ts causes it and sees it end by itself, and rotation/checks.test.ts has the problem',
  'web-ui-token': 'it takes a web UI whose tasks do not start; rotation/checks.test.ts has each outcome and the remedy',
  'authority-rotation':
    'it takes a rotation that is interrupted; cluster-authority.test.ts causes it, reads it and carries out the remedy',
  'growth-at-maximum': 'its remedy is a deployment of other inputs, which cluster-room.test.ts makes',
  'audit-log-licence': 'it is there while all is well, and the embedded cloud has no licence to install',
};

/** Alarms of a cluster that no trouble of the campaign turns on, and why. */
const withoutClusterTrouble: Readonly<Record<string, string>> = {
  software_roll_stopped: 'it takes a deployment of other software; cluster-roll.test.ts turns it on and off',
  growth_at_maximum: 'it needs inputs by which groups grow; cluster-room.test.ts turns it on and off',
  heap_too_full: 'no remedy that is printed frees a heap; cluster-alarms.test.ts turns it on and off',
  requests_rejected: 'no remedy that is printed slows clients down; cluster-alarms.test.ts turns it on and off',
  restore_drill_too_old: 'it needs weeks without a drill; the tests of the alarms let them pass',
};

describe('the troubles of a cluster, whose printed remedies `npm run campaign -- --scenario doctor` carries out', () => {
  it('there is a trouble for every finding of drover cluster doctor, or the reason why there is none', () => {
    const known = [...new Set(clusterTroubles.map(({ check }) => check)), ...Object.keys(withoutRemedy)];
    expect(known.toSorted()).toEqual(namesOf(clusterChecks).toSorted());
  });

  it('there is a trouble that turns on each alarm of a cluster, or the reason why there is none', () => {
    const turnedOn = new Set(clusterTroubles.flatMap(({ alarms = [] }) => alarms));
    const known = [...turnedOn, ...Object.keys(withoutClusterTrouble)];
    expect(known.toSorted()).toEqual(alarmsOf(clusterAlarm).toSorted());
  });
});

describe('docs/reference/doctor.md', () => {
  it('docs/reference/doctor.md has every finding of both doctors with its remedy, and no other', () => {
    expect(firstOf('Findings of `drover fleet doctor`')).toEqual(namesOf(fleetChecks('jobs')));
    expect(firstOf('Findings of `drover cluster doctor`')).toEqual(namesOf(clusterChecks));
    for (const heading of ['Findings of `drover fleet doctor`', 'Findings of `drover cluster doctor`'])
      for (const row of rowsOf(heading)) expect(row.filter((cell) => cell.trim() !== '')).toHaveLength(3);
  });

  it('docs/reference/doctor.md has every alarm with the findings that explain it, as doctor itself has it', () => {
    const all = [fleetAlarm, clusterAlarm, uiAlarmName].flatMap(alarmsOf);
    expect(new Set(firstOf('Alarms'))).toEqual(new Set(all));
    const meanings = { ...fleetMeanings, ...clusterMeanings };
    const explained = Object.entries(meanings).map(
      ([kind, { checks }]) =>
        [
          ({ ...fleetAlarm, ...clusterAlarm } as typeof fleetAlarm)[kind as 'errors']('X').replace(/-X$/, ''),
          checks,
        ] as const,
    );
    for (const [alarm, checks] of explained) {
      const row = rowsOf('Alarms').find(([cell]) => plain(cell) === alarm);
      expect(row?.[1], alarm).toEqual(expect.stringContaining(checks[0] ?? 'alarm-on'));
      for (const check of checks) expect(known, `${alarm} is explained by ${check}`).toContain(check);
    }
  });

  it('docs/reference/doctor.md has every control of the page of drover local, with the findings that the campaign doctor sees', () => {
    const rows = rowsOf('Faults of `drover local`');
    expect(rows.map(([control]) => plain(control))).toEqual(Object.keys(controls));
    expect(new Set(controlRows.map(({ control }) => control))).toEqual(new Set(Object.keys(controls)));
    for (const { control, finds = [], inJobsMode = [] } of controlRows) {
      const cell = rows.find(([name]) => plain(name) === control)![1]!;
      for (const check of [...finds, ...inJobsMode]) expect(cell, control).toContain(`\`${check}\``);
    }
  });

  it('docs/reference/doctor.md has every exit code of both commands other than success and usage', () => {
    const codesOf = (command: string, codes: Readonly<Record<string, number>>) =>
      Object.values(codes).flatMap((code) =>
        code === codes.done || code === codes.usage ? [] : [`${code} ${command}`],
      );
    expect(rowsOf('Exit codes').map(([code, of]) => `${plain(code)} ${plain(of)}`)).toEqual([
      ...codesOf('drover', exitCodes),
      ...codesOf('cluster-cli', cliExitCodes),
    ]);
  });

  it('docs/reference/doctor.md names no finding that does not exist', () => {
    const sections = ['Alarms', 'Faults of `drover local`', 'Exit codes'].flatMap(rowsOf).map((cells) => cells.at(-1)!);
    const named = sections.flatMap((cell) => [...cell.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, name]) => name!));
    expect(named.filter((name) => !known.has(name) && name !== 'cluster-cli')).toEqual([]);
  });
});
