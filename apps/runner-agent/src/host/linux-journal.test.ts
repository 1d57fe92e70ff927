import { describe, expect, it } from 'vitest';
import type { KernelCommand } from './kernel.ts';
import { LinuxJournal } from './linux-journal.ts';

const bootId = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0';
/** A line of the listener, as `journalctl --output=json` has it. */
const listener = {
  __CURSOR: 's=1',
  __REALTIME_TIMESTAMP: '1700000000123456',
  __MONOTONIC_TIMESTAMP: '5000000',
  _BOOT_ID: bootId.replaceAll('-', ''),
  _SYSTEMD_UNIT: 'actions-runner.service',
  _PID: '40',
  _UID: '998',
  SYSLOG_IDENTIFIER: 'actions-runner',
  MESSAGE: 'Running job: build',
};
const job = { ...listener, _PID: '77' };

/** A journal with these entries, and the main process of each unit. */
function journalOf(entries: readonly object[], mains = 'Id=actions-runner.service\nExecMainPID=40\nStart=4000000\n') {
  const asked: KernelCommand[] = [];
  const journal = new LinuxJournal(async (command) => {
    asked.push(command);
    const stdout =
      command.file === 'journalctl'
        ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
        : mains.replaceAll('Start=', 'ExecMainStartTimestampMonotonic=');
    return { exitCode: 0, stdout, stderr: '' };
  }, `${bootId}\n`);
  return { asked, journal, read: () => journal.read(['runner-agent', 'actions-runner'], undefined) };
}

describe('the lines of a main process', () => {
  it('lines of a main process are asked for by its number, so that no other writer can crowd them out', async () => {
    const { asked, journal } = journalOf([listener, job]);

    expect((await journal.readMain('actions-runner')).map(({ text }) => text)).toEqual(['Running job: build']);
    expect(asked.at(-1)?.args.slice(-2)).toEqual(['_SYSTEMD_UNIT=actions-runner.service', '_PID=40']);
  });

  it('lines of a main process are none while no process of the unit was ever started', async () => {
    const { journal } = journalOf([listener], 'Id=actions-runner.service\nExecMainPID=0\nStart=0\n');

    expect(await journal.readMain('actions-runner')).toEqual([]);
  });
});

const firstLine = async (entry: object) => (await journalOf([entry]).read()).lines[0];

describe('the journal of a Linux host', () => {
  it('a line of the process that the unit started is one of its main process', async () => {
    expect(await firstLine(listener)).toEqual({
      at: 1_700_000_000_123,
      unit: 'actions-runner',
      tag: 'actions-runner',
      text: 'Running job: build',
      root: false,
      main: true,
    });
  });

  it.each([
    ['that names the unit of the agent', { ...job, UNIT: 'runner-agent.service' }],
    ['that names the unit of the agent twice', { ...job, UNIT: ['runner-agent.service', 'runner-agent.service'] }],
    [
      'that calls itself the listener',
      { ...job, _COMM: 'Runner.Listener', _EXE: '/opt/actions-runner/bin/Runner.Listener' },
    ],
    ['that had the number of the listener before its start', { ...listener, __MONOTONIC_TIMESTAMP: '3799999' }],
    ['that had the number of the listener in an earlier boot', { ...listener, _BOOT_ID: 'f'.repeat(32) }],
    ['whose number is not known', { ...listener, _PID: undefined }],
  ])('a line of a process %s is a line of a job', async (_name, entry) => {
    expect(await firstLine(entry)).toMatchObject({ unit: 'actions-runner', root: false, main: false });
  });

  it('a line that the listener wrote before systemd noted its start is its own, and a line of a job at that moment is not', async () => {
    const early = { __MONOTONIC_TIMESTAMP: '3999000' };
    expect(await firstLine({ ...listener, ...early })).toMatchObject({ main: true });
    expect(await firstLine({ ...job, ...early })).toMatchObject({ main: false });
  });

  it('a line of systemd about a unit is one of that unit', async () => {
    const about = { ...listener, _PID: '1', _UID: '0', _SYSTEMD_UNIT: 'init.scope', UNIT: 'runner-agent.service' };
    expect(await firstLine(about)).toMatchObject({ unit: 'runner-agent', root: true, main: false });
  });

  it('lines of earlier main processes are theirs as long as those ran', async () => {
    const at = (seconds: number, _PID: string) => ({ ...listener, _PID, __MONOTONIC_TIMESTAMP: `${seconds}000000` });
    const { journal, read } = journalOf([at(2, '30'), at(5, '30'), at(5, '40'), at(2, '40')]);
    journal.note('actions-runner', '30', '1000000');
    journal.note('actions-runner', '30', '1000000');
    journal.note('actions-runner', '0', '0');
    expect((await read()).lines.map(({ main }) => main)).toEqual([true, false, true, false]);
  });

  it('a message of bytes is text, one that is too large is empty, and what a command was cut off in is left for later', async () => {
    const { journal } = journalOf([]);
    expect((await journal.read([], 's=0')).cursor).toBe('s=0');
    expect(await firstLine({ ...listener, MESSAGE: [104, 105] })).toMatchObject({ text: 'hi' });
    expect(await firstLine({ ...listener, MESSAGE: null })).toMatchObject({ text: '' });
    const cut = new LinuxJournal(
      async () => ({ exitCode: 137, stdout: `${JSON.stringify(listener)}\n{"__CURSOR":"s=2","MESS`, stderr: '' }),
      bootId,
    );
    expect(await cut.read(['actions-runner'], undefined)).toMatchObject({
      cursor: 's=1',
      lines: [{ at: 1_700_000_000_123 }],
    });
  });
});
