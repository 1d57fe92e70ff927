import { describe, expect, it } from 'vitest';
import type { JobState } from '../../api.ts';
import type { GroupActivity } from '../gather/activities.ts';
import { accountEvents, type Happenings } from './events.ts';
import { type IncidentFacts, incidentsOf } from './incidents.ts';

const minute = 60_000;

const activity = (of: Partial<GroupActivity> & Pick<GroupActivity, 'kind' | 'startedAt'>): GroupActivity => ({
  id: `${of.kind} ${of.startedAt}`,
  group: 'runners',
  instance: undefined,
  description: '',
  cause: '',
  endedAt: undefined,
  status: of.endedAt === undefined ? 'InProgress' : 'Successful',
  message: '',
  ...of,
});

const healthCheck =
  'At 2026-06-01T00:00:00Z an instance was taken out of service in response to an EC2 instance status checks failure.';
const termination = (more: Partial<GroupActivity> = {}) =>
  activity({ kind: 'termination', instance: 'i-1', startedAt: 10 * minute, cause: healthCheck, ...more });
const launch = (more: Partial<GroupActivity> = {}) =>
  activity({ kind: 'launch', instance: 'i-2', startedAt: 11 * minute, ...more });
const lostJob: JobState = {
  id: 7,
  title: undefined,
  state: 'lost',
  queuedAt: undefined,
  startedAt: 5 * minute,
  endedAt: 12 * minute,
  instance: 'i-1',
  lostBecause: 'its instance is gone and never said how it ended',
};

function incidents(happenings: Partial<Happenings>, more: Partial<IncidentFacts> = {}) {
  const all = { activities: [], alarms: [], failures: [], jobs: [], ...happenings };
  return incidentsOf({
    events: accountEvents(all),
    isAtRest: () => false,
    endsByRequest: () => false,
    ...more,
  });
}

describe('incidents of an account', () => {
  it('an instance that failed is an incident until its successor serves, with the alarms on the way', () => {
    const alarm = { alarm: 'none_in_service-runners', from: 'OK', to: 'ALARM', at: 11 * minute };
    const open = incidents({ activities: [termination(), launch()], alarms: [alarm] });
    expect(open).toHaveLength(1);
    expect(open[0]).toMatchObject({
      kind: 'fault',
      title: 'i-1 of runners failed: an EC2 instance status checks failure.',
      verdict: { state: 'open' },
    });
    const [ended] = incidents({
      activities: [termination({ endedAt: 12 * minute }), launch({ endedAt: 15 * minute })],
      alarms: [alarm],
    });
    expect(ended).toMatchObject({
      endedAt: 15 * minute,
      verdict: { state: 'good', text: 'It is gone, and i-2 replaces it.' },
    });
    expect(ended!.steps.map(({ text }) => text)).toEqual([
      'i-1 is to be terminated and drains first: an EC2 instance status checks failure',
      'i-2 was launched',
      'alarm none_in_service-runners went off',
      'i-1 has left the group',
      'i-2 is in service',
    ]);
    expect(ended!.steps.at(-1)).toMatchObject({ about: 'instance/i-2', bad: false });
  });

  it('an incident in which hardware lost a job ended as well as can be, and names the job', () => {
    const [incident] = incidents({
      activities: [termination({ endedAt: 12 * minute }), launch({ endedAt: 15 * minute })],
      jobs: [lostJob],
    });
    expect(incident!.verdict).toEqual({
      state: 'fair',
      text: 'It is gone, and i-2 replaces it. Job 7 was lost: its instance is gone and never said how it ended.',
    });
  });

  it('instances of a zone that fail within minutes are one incident, each with a successor of its own, and launches that fail meanwhile belong to it', () => {
    const zone = 'eu-west-1a';
    const lost = [
      termination({ id: 'a', instance: 'i-1', zone, endedAt: 12 * minute }),
      termination({ id: 'b', instance: 'i-3', zone, startedAt: 11 * minute, endedAt: 13 * minute }),
      termination({ id: 'c', instance: 'i-5', zone, startedAt: 14 * minute, endedAt: 16 * minute, group: 'search' }),
      termination({ id: 'd', instance: 'i-7', zone: 'eu-west-1b', startedAt: 14 * minute, endedAt: 16 * minute }),
    ];
    const failed = launch({
      id: 'e',
      instance: undefined,
      endedAt: 11 * minute + 1_000,
      status: 'Failed',
      message: 'none',
    });
    const successors = ['i-2', 'i-4', 'i-8'].map((instance, n) =>
      launch({ id: instance, instance, startedAt: (15 + n) * minute, endedAt: (20 + n) * minute }),
    );
    const next = launch({ id: 'f', instance: 'i-6', startedAt: 15 * minute, endedAt: 25 * minute, group: 'search' });
    const found = incidents({ activities: [...lost, failed, ...successors, next], jobs: [lostJob] });
    expect(found.map(({ title, verdict }) => [title, verdict.state, verdict.text])).toEqual([
      ['i-7 of runners failed: an EC2 instance status checks failure.', 'good', 'It is gone, and i-8 replaces it.'],
      [
        '3 instances in eu-west-1a failed: 2 of runners, 1 of search.',
        'fair',
        'They are gone, and 3 of 3 were replaced. Job 7 was lost: its instance is gone and never said how it ended.',
      ],
    ]);
    expect(found[1]!.endedAt).toBe(25 * minute);
  });

  it('an instance that was terminated by request is an act, but not where that is how jobs end', () => {
    const cause = 'At 2026-06-01T00:00:00Z instance i-1 was taken out of service in response to a user request.';
    const activities = [termination({ cause, endedAt: 12 * minute })];
    expect(incidents({ activities }, { isAtRest: () => true })).toMatchObject([
      { kind: 'act', title: 'i-1 of runners was terminated by request.', endedAt: 12 * minute },
    ]);
    expect(incidents({ activities }, { endsByRequest: () => true })).toEqual([]);
  });

  it('scaling in is no incident, and an instance refresh is one for all its instances', () => {
    const scaleIn =
      'an instance was taken out of service in response to a difference between desired and actual capacity';
    expect(incidents({ activities: [termination({ cause: scaleIn })] })).toEqual([]);
    const cause = 'an instance was taken out of service in response to an instance refresh.';
    const replaced = [1, 2, 3].map((n) =>
      termination({ instance: `i-${n}`, cause, startedAt: n * 20 * minute, endedAt: (n * 20 + 5) * minute }),
    );
    expect(incidents({ activities: replaced }, { isAtRest: () => true })).toMatchObject([
      {
        title: 'An instance refresh of runners replaces its instances.',
        endedAt: 65 * minute,
        verdict: { state: 'good', text: '3 instances of runners were replaced.' },
      },
    ]);
  });

  it('launches that fail are one incident until one succeeds', () => {
    const failed = (startedAt: number) =>
      launch({
        instance: undefined,
        startedAt,
        endedAt: startedAt + 1_000,
        status: 'Failed',
        message: 'We currently do not have sufficient t3.medium capacity.',
      });
    const failures = [failed(10 * minute), failed(12 * minute)];
    expect(incidents({ activities: failures })).toMatchObject([
      {
        title: '2 launches in runners failed: We currently do not have sufficient t3.medium capacity.',
        verdict: { state: 'open' },
      },
    ]);
    const [ended] = incidents({ activities: [...failures, launch({ startedAt: 14 * minute, endedAt: 20 * minute })] });
    expect(ended).toMatchObject({ endedAt: 20 * minute, verdict: { state: 'good', text: 'i-2 was launched.' } });
  });

  it('an alarm and a function that fail by themselves are incidents of their own', () => {
    const found = incidents({
      alarms: [
        { alarm: 'rate_limit_low-runners', from: 'OK', to: 'ALARM', at: 1 * minute },
        { alarm: 'rate_limit_low-runners', from: 'ALARM', to: 'OK', at: 9 * minute },
      ],
      failures: [30, 31, 60].map((at) => ({
        function: 'runners_registration',
        at: at * minute,
        ok: false,
        text: 'failed: TransientError',
      })),
    });
    expect(found.map(({ title, verdict, endedAt }) => [title, verdict.text, endedAt! / minute])).toEqual([
      ['Function runners_registration failed: TransientError.', 'It failed once.', 60],
      ['Function runners_registration failed: TransientError.', 'It failed 2 times.', 31],
      ['Alarm rate_limit_low-runners went off.', 'It is over.', 9],
    ]);
    expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  });
});
