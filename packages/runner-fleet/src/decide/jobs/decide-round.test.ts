import { describe, expect, it } from 'vitest';
import type { FleetInstance, GroupFacts, HostReport } from '../../model/fleet.ts';
import type { HostNote, HostState } from '../../model/jobs.ts';
import { decideRound, type RoundFacts } from './decide-round.ts';
import { noteHosts } from './note-hosts.ts';

const now = 100_000_000;
const minute = 60_000;

const group = (desiredCapacity: number, instances: readonly FleetInstance[] = []): GroupFacts => ({
  name: 'runners',
  minSize: 0,
  maxSize: 100,
  desiredCapacity,
  instances,
  hasWarmPool: false,
});
const note = (is: HostState, minutes: number, more: Partial<HostNote> = {}): HostNote => ({
  is,
  since: now - minutes * minute,
  ...more,
});
const report = (change: Partial<HostReport> = {}): HostReport => ({
  at: now - minute,
  workers: 0,
  phase: 'serving',
  listening: true,
  ...change,
});
const reportsOf = (hosts: Readonly<Record<string, HostNote>>, change: Partial<HostReport> = {}) =>
  new Map(Object.keys(hosts).map((id) => [id, report(change)]));

function round(desired: number, wanted: number, hosts: Record<string, HostNote>, change: Partial<RoundFacts> = {}) {
  const want = { launch: wanted, keep: wanted, notTaken: 0 };
  const facts = {
    group: group(desired),
    reports: reportsOf(hosts),
    hosts,
    want,
    surplusWindows: 3,
    registrationFails: false,
    braked: false,
  };
  return decideRound({ ...facts, ...change }, now);
}

describe('one round of the demand', () => {
  it('a fleet that may have no instance removes every idle host at once, and keeps a busy one', () => {
    const hosts = { a: note('idle', 1), b: note('busy', 1), c: note('booting', 1) };
    const closing = { group: { ...group(0), maxSize: 0 }, surplusWindows: 0 };

    expect(round(0, 0, hosts, closing)).toEqual([
      { kind: 'remove-and-terminate', because: 'idle-surplus', instanceId: 'a', decrement: false },
    ]);
  });

  it.each([
    ['goes at once', false, 1, 1],
    ['keeps its place for half an hour while launches are braked', true, 29, 0],
    ['goes after half an hour while launches are braked', true, 30, 1],
  ])('a host that broke with its job %s', (_, braked, minutes, going) => {
    const hosts = { a: note('finished', minutes) };

    expect(round(1, 1, hosts, { braked, reports: reportsOf(hosts, { unfit: 'broken' }) })).toHaveLength(going);
  });

  it.each([
    ['has stopped in service', note('stopped', 0), {}, 1],
    ['has stopped while it booted', note('booting', 1), {}, 1],
    ['boots', note('booting', 1), { phase: 'booting' as const }, 1],
    ['has booted and reports no further', note('starting', 0), { phase: 'booting' as const }, 1],
    ['runs a job', note('busy', 1), { workers: 1, phase: 'draining' as const }, 0],
    ['leaves already', note('leaving', 0), {}, 0],
    ['is gone', note('gone', 0), {}, 0],
  ])('a host that EC2 takes back and that %s goes at once or not', (_, host, more, going) => {
    const hosts = { a: host };
    const reports = reportsOf(hosts, { reclaimed: true, phase: 'stopped', ...more });

    expect(round(1, 1, hosts, { reports })).toEqual(
      Array(going).fill({ kind: 'remove-and-terminate', because: 'taken-back', instanceId: 'a', decrement: false }),
    );
  });

  it('the place of a host that EC2 takes back without a job goes to the on-demand group, and the next one is spot again', () => {
    const hosts = { a: note('booting', 1) };
    const fallback = { desiredCapacity: 0, maxSize: 100 };
    const taken = { healthy: true, protectedFromScaleIn: false, inWarmPool: false, isTaken: true };
    const boots = { ...group(1, [{ ...taken, id: 'a', lifecycleState: 'Pending:Wait' }]), fallback };
    const reports = reportsOf(hosts, { reclaimed: true, phase: 'booting' });

    expect(round(1, 1, hosts, { group: boots, reports })).toEqual([
      { kind: 'remove-and-terminate', because: 'taken-back', instanceId: 'a', decrement: true },
      { kind: 'set-desired', capacity: 1, of: 'fallback' },
    ]);
    expect(round(0, 1, {}, { group: { ...group(0), fallback } })).toEqual([{ kind: 'set-desired', capacity: 1 }]);
  });

  it('raises the capacity to what is wanted, by any number, and never lowers it', () => {
    expect(round(0, 100, {})).toEqual([{ kind: 'set-desired', capacity: 100 }]);
    expect(round(5, 3, {})).toEqual([]);
  });

  it('terminates hosts that have finished, with decrement only as far as the group is larger than wanted', () => {
    const hosts = { a: note('finished', 2), b: note('finished', 1), c: note('busy', 1) };

    expect(round(3, 2, hosts)).toEqual([
      { kind: 'terminate', because: 'finished', instanceId: 'a', decrement: true },
      { kind: 'terminate', because: 'finished', instanceId: 'b', decrement: false },
    ]);
    expect(round(3, 5, hosts).at(-1)).toEqual({ kind: 'set-desired', capacity: 5 });
  });

  it('removes idle surplus, oldest idle first, after five minutes idle and three windows', () => {
    const hosts = { young: note('idle', 4), old: note('idle', 9), older: note('idle', 9.5), works: note('busy', 30) };
    const gone = (ids: readonly string[]) =>
      ids.map((instanceId) => ({ kind: 'remove-and-terminate', because: 'idle-surplus', instanceId, decrement: true }));

    expect(round(4, 1, hosts)).toEqual(gone(['older', 'old']));
    expect(round(4, 3, hosts)).toEqual(gone(['older']));
    expect(round(4, 1, hosts, { surplusWindows: 2 })).toEqual([]);
    expect(round(4, 1, hosts, { reports: reportsOf(hosts, { workers: 1 }) })).toEqual([]);
    expect(round(4, 1, hosts, { reports: new Map() })).toEqual([]);
  });

  it('a member that the group launched beside its desired ones goes once it is idle, and the group keeps its size', () => {
    const hosts = { old: note('idle', 9), works: note('busy', 30), launched: note('idle', 6) };
    const member = (id: string, lifecycleState = 'InService') => ({ id, lifecycleState }) as FleetInstance;
    const members = ['old', 'works', 'launched'].map((id) => member(id));
    const surplus = { kind: 'remove-and-terminate', because: 'idle-surplus', instanceId: 'old', decrement: false };

    expect(round(2, 2, hosts, { group: group(2, members) })).toEqual([surplus]);
    expect(round(2, 2, hosts, { group: group(2, [...members.slice(1), member('old', 'Terminating:Wait')]) })).toEqual(
      [],
    );
    expect(round(3, 3, hosts, { group: group(3, members) })).toEqual([]);
  });

  it('while registrations fail old boots that no job waits for any more are ended', () => {
    const hosts = {
      a: note('booting', 20),
      b: note('booting', 16),
      young: note('booting', 14),
      works: note('busy', 30),
    };
    const late = (...ids: string[]) =>
      ids.map((instanceId) => ({ kind: 'terminate', because: 'not-needed', instanceId, decrement: true }));

    expect(round(4, 4, hosts, { registrationFails: true })).toEqual([]);
    expect(round(4, 3, hosts, { registrationFails: true })).toEqual(late('a'));
    expect(round(4, 1, hosts, { registrationFails: true })).toEqual(late('a', 'b'));
  });

  it('a group that may have none ends every boot at once while instances cannot be registered, although it wants no fewer', () => {
    const hosts = { a: note('booting', 1), b: note('busy', 30) };
    const closing = { group: { ...group(0), maxSize: 0 }, surplusWindows: 0, registrationFails: true };

    expect(round(0, 0, hosts, closing)).toEqual([
      { kind: 'terminate', because: 'not-needed', instanceId: 'a', decrement: false },
    ]);
  });

  it('keeps idle hosts for jobs whose number is in doubt, though it launches none for them', () => {
    const hosts = { a: note('idle', 9), b: note('idle', 9) };

    expect(round(2, 0, hosts, { want: { launch: 0, keep: 2, notTaken: 2 } })).toEqual([]);
  });

  it('removes a large surplus within minutes, and a small one by ten in a round', () => {
    const idle = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`i-${index}`, note('idle', 9)]));

    expect(round(12, 0, idle(12))).toHaveLength(10);
    expect(round(100, 0, idle(100))).toHaveLength(25);
  });

  it.each<[string, HostNote, Partial<RoundFacts>, readonly string[]]>([
    ['a long boot', note('booting', 60), {}, []],
    ['a long boot while registrations fail', note('booting', 60), { registrationFails: true }, []],
    ['a host in service without a listener for 14 minutes', note('starting', 14), {}, []],
    [
      'a host in service without a listener for 15 minutes',
      note('starting', 15),
      {},
      ['remove-and-terminate never-listened'],
    ],
    ['one without a listener for 29 minutes while boots fail', note('starting', 29), { braked: true }, []],
    [
      'one without a listener for 30 minutes while boots fail',
      note('starting', 30),
      { braked: true },
      ['remove-and-terminate never-listened'],
    ],
    ['an instance that is gone for a moment', note('gone', 0.5), {}, []],
    ['an instance that is gone', note('gone', 1), {}, ['remove-runner']],
    ['a host that has been idle for nine minutes', note('idle', 9), {}, []],
    ['a host that has been idle for ten minutes', note('idle', 10), {}, ['ask-for-runner']],
    ['one whose runner was known ten minutes ago', note('idle', 20, { askedAt: now - 10 * minute }), {}, []],
    [
      'one whose runner was known half an hour ago',
      note('idle', 50, { askedAt: now - 30 * minute }),
      {},
      ['ask-for-runner'],
    ],
    [
      'one whose runner was unknown a minute ago',
      note('idle', 20, { askedAt: now - minute, unknownSince: now - minute }),
      {},
      ['ask-for-runner'],
    ],
    [
      'one whose runner was unknown twice',
      note('idle', 20, { askedAt: now, unknownSince: now - minute }),
      {},
      ['remove-and-terminate runner-unknown'],
    ],
    [
      'one whose runner was unknown twice and that has a Worker',
      note('idle', 20, { askedAt: now, unknownSince: now - minute }),
      { reports: new Map([['a', report({ workers: 1 })]]) },
      [],
    ],
    ['a host that is silent for ten minutes', note('silent', 10), {}, ['remove-and-terminate host-silent']],
    ['a host that has not served for ten minutes', note('stopped', 10), {}, ['remove-and-terminate host-stopped']],
    ['a host that leaves', note('leaving', 600), {}, []],
    [
      'one that is gone, whose runner had a job two minutes ago',
      note('gone', 9, { refusedAt: now - 2 * minute }),
      {},
      [],
    ],
    [
      'one that is gone, whose runner had a job three minutes ago',
      note('gone', 9, { refusedAt: now - 3 * minute }),
      {},
      ['remove-runner'],
    ],
    ['one that is silent, whose runner had a job just now', note('silent', 20, { refusedAt: now }), {}, []],
  ])('one round of the demand does what is due for %s', (_, host, change, expected) => {
    const actions = round(1, 1, { a: host }, change);

    expect(actions.map((action) => ('because' in action ? `${action.kind} ${action.because}` : action.kind))).toEqual(
      expected,
    );
  });
});

describe('what a host is doing', () => {
  const instance = (lifecycleState: string): FleetInstance => ({
    id: 'a',
    lifecycleState,
    healthy: true,
    protectedFromScaleIn: true,
    inWarmPool: lifecycleState.startsWith('Warmed'),
  });

  it.each<[HostState | undefined, string, HostReport | undefined]>([
    ['booting', 'Pending:Wait', undefined],
    ['starting', 'InService', undefined],
    ['starting', 'InService', report({ phase: 'booting' })],
    ['starting', 'InService', report({ phase: 'registering' })],
    ['starting', 'InService', report({ listening: false })],
    ['idle', 'InService', report()],
    ['busy', 'InService', report({ workers: 1 })],
    ['finished', 'InService', report({ phase: 'finished', at: now - 60 * minute })],
    ['silent', 'InService', report({ at: now - 12 * minute })],
    ['silent', 'InService', report({ workers: 1, at: now - 12 * minute })],
    ['stopped', 'InService', report({ phase: 'unfit' })],
    ['stopped', 'InService', report({ phase: 'draining' })],
    ['busy', 'InService', report({ phase: 'draining', workers: 1 })],
    ['leaving', 'Pending:Wait', report({ phase: 'failed' })],
    ['leaving', 'Terminating:Wait', report()],
    [undefined, 'Warmed:Stopped', undefined],
  ])('noteHosts takes for %s a host that is %s', (expected, lifecycleState, told) => {
    const notes = noteHosts({}, group(1, [instance(lifecycleState)]), new Map(told ? [['a', told]] : []), now);

    expect(notes.a).toEqual(expected === undefined ? undefined : { is: expected, since: now });
  });

  it('noteHosts keeps since when a host does what it does, and hosts that are gone', () => {
    const known = { a: note('idle', 7, { askedAt: 5 }), b: note('busy', 9), c: note('gone', 3) };
    const notes = noteHosts(known, group(1, [instance('InService')]), new Map([['a', report()]]), now);

    expect(notes).toEqual({ a: known.a, b: { is: 'gone', since: now }, c: known.c });
  });
});
