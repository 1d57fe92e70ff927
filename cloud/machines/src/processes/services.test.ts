import { beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../machine.ts';
import { idle, MachineFixture } from '../machine-fixture.test-support.ts';
import type { Program, ServiceDefinition } from '../program.ts';

let fixture: MachineFixture;
let machine: Machine;

beforeEach(async () => {
  fixture = new MachineFixture();
  machine = await fixture.launch();
});

const seconds = 1_000;
const names = () => machine.processes().map(({ name }) => name);

/** A listener with a worker that takes no notice of SIGTERM. */
const withStubbornWorker: Program = async (context) => {
  context.spawn('worker', async (worker) => {
    worker.onSignal('SIGTERM', () => worker.log('worker was asked to end'));
    return idle(worker);
  });
  return idle(context);
};

async function started(definition: Omit<ServiceDefinition, 'name'>): Promise<void> {
  machine.defineService({ name: 'app', ...definition });
  machine.startService('app');
  await fixture.clock.settle();
}

describe('stop', () => {
  it('asks every process of the unit, and kills after the timeout those that stay', async () => {
    await started({ program: withStubbornWorker, stopTimeoutMs: 20 * seconds });

    const stopped = machine.stopService('app');
    expect(machine.serviceState('app')).toBe('deactivating');
    expect(names()).toEqual(['worker']);
    expect(machine.logOf('app')).toEqual(['worker was asked to end']);
    expect(await fixture.open(stopped, 19 * seconds)).toBe(true);
    await fixture.until(stopped);

    expect(names()).toEqual([]);
    expect(machine.serviceState('app')).toBe('failed');
  });

  it('reaches only the main process with kill mode `process`', async () => {
    await started({ program: withStubbornWorker, killMode: 'process' });

    await fixture.until(machine.stopService('app'));

    expect(names()).toEqual(['worker']);
    expect(machine.logOf('app')).toEqual([]);
    expect(machine.serviceState('app')).toBe('inactive');
  });

  it('kills what the main process leaves behind with kill mode `mixed`', async () => {
    await started({ program: withStubbornWorker, killMode: 'mixed' });

    await fixture.until(machine.stopService('app'));

    expect(names()).toEqual([]);
    expect(machine.logOf('app')).toEqual([]);
  });

  it('lets a handler finish its work first', async () => {
    await started({
      program: (context) =>
        new Promise((resolve) => {
          context.onSignal('SIGINT', () => context.clock.after(5 * seconds, () => resolve(0)));
        }),
      stopSignal: 'SIGINT',
    });

    const stopped = machine.stopService('app');
    expect(await fixture.open(stopped, 4 * seconds)).toBe(true);
    await fixture.until(stopped);

    expect(machine.serviceState('app')).toBe('inactive');
  });

  it('then start gives a new process', async () => {
    await started({ program: withStubbornWorker, stopTimeoutMs: 20 * seconds });
    const stopped = machine.stopService('app');

    machine.startService('app');
    await fixture.until(stopped);

    expect(machine.serviceState('app')).toBe('active');
    expect(names()).toEqual(['app', 'worker']);
  });
});

describe('restart', () => {
  const exiting =
    (exitCode: number, runs: number[]): Program =>
    async ({ clock }) => {
      runs.push(clock.now());
      await clock.sleep(30 * seconds);
      return exitCode;
    };

  it('follows a failure, not a clean end, with `on-failure`', async () => {
    const failing: number[] = [];
    const ending: number[] = [];
    machine.defineService({
      name: 'failing',
      program: exiting(1, failing),
      restart: 'on-failure',
      restartDelayMs: 5_000,
    });
    machine.defineService({ name: 'ending', program: exiting(0, ending), restart: 'on-failure' });
    machine.startService('failing');
    machine.startService('ending');
    await fixture.clock.advance(32 * seconds);

    expect(machine.serviceState('failing')).toBe('activating');
    await fixture.clock.advance(5 * seconds);

    expect(failing).toHaveLength(2);
    expect(ending).toHaveLength(1);
    expect(machine.serviceState('ending')).toBe('inactive');
  });

  it('a service is not restarted after an exit code that prevents it, and one that counts as success leaves it inactive', async () => {
    const [prevented, clean, other]: [number[], number[], number[]] = [[], [], []];
    const unit = { restart: 'on-failure', restartPreventExitStatus: [5], successExitStatus: [143] } as const;
    machine.defineService({ name: 'prevented', program: exiting(5, prevented), ...unit });
    machine.defineService({ name: 'clean', program: exiting(143, clean), ...unit });
    machine.defineService({ name: 'other', program: exiting(2, other), ...unit });
    for (const name of ['prevented', 'clean', 'other']) machine.startService(name);
    await fixture.clock.advance(45 * seconds);

    expect([prevented.length, clean.length, other.length]).toEqual([1, 1, 2]);
    expect([machine.serviceState('prevented'), machine.serviceState('clean')]).toEqual(['failed', 'inactive']);
  });

  it('a service is not restarted after a stop', async () => {
    const runs: number[] = [];
    await started({ program: exiting(1, runs), restart: 'always' });

    await fixture.until(machine.stopService('app'));
    await fixture.clock.advance(60 * seconds);

    expect(runs).toHaveLength(1);
  });

  it('gives up after five starts in ten seconds', async () => {
    let runs = 0;
    await started({ program: async () => runs++ + 1, restart: 'always' });

    await fixture.clock.advance(60 * seconds);

    expect(runs).toBe(5);
    expect(machine.serviceState('app')).toBe('failed');
  });
});

describe('processes', () => {
  it('outlive their parent when it is killed', async () => {
    const shell = machine.spawn('shell', withStubbornWorker);
    await fixture.clock.settle();

    shell.signal('SIGKILL');

    expect(await shell.ended).toBe(137);
    expect(machine.processes().map(({ name, parent }) => [name, parent])).toEqual([['worker', undefined]]);
  });

  it('end with 128 plus the signal when they have no handler, and with 1 after an error', async () => {
    const quiet = machine.spawn('quiet', idle);
    const broken = machine.spawn('broken', async () => {
      throw new Error('no disk');
    });
    quiet.signal('SIGTERM');

    expect(await quiet.ended).toBe(143);
    expect(await broken.ended).toBe(1);
    expect(machine.logOf('broken')[0]).toContain('no disk');
  });

  it('have a signal that is aborted at their end, whether it was looked at before or not', async () => {
    const signals: (() => AbortSignal)[] = [];
    const watched = machine.spawn('watched', async (context) => {
      const { signal } = context;
      signals.push(() => signal);
      return idle(context);
    });
    const unwatched = machine.spawn('unwatched', async (context) => {
      signals.push(() => context.signal);
      return idle(context);
    });
    await fixture.clock.settle();
    expect(signals[0]!().aborted).toBe(false);

    watched.signal('SIGKILL');
    unwatched.signal('SIGKILL');

    expect(signals.map((signal) => signal().aborted)).toEqual([true, true]);
  });

  it('a dead process does not learn of the end of its children', async () => {
    let learned = false;
    const parent = machine.spawn('parent', async (context) => {
      await context.spawn('child', idle).ended;
      learned = true;
      return 0;
    });
    await fixture.clock.settle();

    parent.signal('SIGKILL');
    machine.processes()[0]!.signal('SIGKILL');
    await fixture.clock.settle();

    expect(learned).toBe(false);
  });

  it('leave a line in the journal with their unit', async () => {
    await started({ program: async () => 7 });
    await fixture.clock.settle();

    const exits = fixture.world.engine.journal.entries.filter(({ name }) => name === 'process-exit');
    expect(exits.map(({ detail }) => detail)).toContainEqual({ process: 'app', pid: 2, unit: 'app', exitCode: 7 });
    expect(fixture.story(machine.instance.id)).toEqual([
      'off -> booting',
      'booting -> up',
      'inactive -> active (app)',
      'process-exit (app)',
      'active -> deactivating (app)',
      'deactivating -> failed (app)',
    ]);
  });

  it('keep a bounded log', async () => {
    machine.spawn('chatty', async ({ log }) => {
      for (let line = 0; line < 5_000; line++) log(`line ${line}`);
      return 0;
    });
    await fixture.clock.settle();

    expect(machine.logOf('chatty').length).toBeLessThanOrEqual(1_250);
    expect(machine.logOf('chatty').at(-1)).toBe('line 4999');
  });
});

describe('commands', () => {
  const run = (line: string) => fixture.until(machine.runCommand(line));

  it('a command line is split into words as a shell does', async () => {
    expect((await run(`echo a  'b  c' "d \\"e\\"" f\\ g ''`)).stdout).toBe('a b  c d "e" f g \n');
  });

  it('follow one another by `&&`, `||` and `;`', async () => {
    expect((await run('true && echo yes || echo no; echo end')).stdout).toBe('yes\nend\n');
    expect((await run('false && echo yes || echo no; echo end')).stdout).toBe('no\nend\n');
    expect((await run('echo first; false')).exitCode).toBe(1);
  });

  it('a variable before a command is for that command alone', async () => {
    machine.defineCommand('colour', async ({ env, stdout }) => {
      stdout(`${env.COLOUR ?? 'none'} ${env.SIZE ?? 'none'}\n`);
      return 0;
    });
    expect((await run(`COLOUR='dark red' SIZE=2 colour && colour`)).stdout).toBe('dark red 2\nnone none\n');
  });

  it('an unknown command exits with 127, shell syntax that is not modelled with 2', async () => {
    expect(await run('cluster-cli health')).toMatchObject({ exitCode: 127, stderr: 'sh: cluster-cli: not found\n' });
    for (const line of ['echo $HOME', 'ls | wc', 'echo `id`', "echo 'open", 'echo "$x"'])
      expect(await run(line)).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('a command under a lock waits for the one before it, and the lock is gone with its process, however that ends', async () => {
    machine.defineCommand('long', ({ clock }) => clock.sleep(60 * seconds).then(() => 0));
    machine.defineCommand('try', async ({ lock }) => (lock('/opt/bin') === undefined ? 0 : 1));
    const tried = async () => (await run('try')).exitCode;
    const first = machine.runCommand("flock /opt/bin sh -c 'long && false'");
    const second = machine.runCommand("flock /opt/bin sh -c 'long && echo done'");
    await fixture.clock.advance(30 * seconds);
    expect(await tried()).toBe(1);

    expect((await fixture.until(first)).exitCode).toBe(1);
    expect(await tried()).toBe(1);
    expect(await fixture.until(second)).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    expect(await tried()).toBe(0);

    const third = machine.commandRun();
    void third.run("flock /opt/bin sh -c 'long && echo done'");
    await fixture.clock.advance(seconds);
    expect(await tried()).toBe(1);
    third.cancel();
    await fixture.clock.advance(seconds);
    expect(await tried()).toBe(0);
  });

  it('commands get no response once the machine has died', async () => {
    machine.defineCommand('long', idle);
    const result = machine.runCommand('long; echo survived');
    await fixture.clock.settle();

    fixture.world.machines.crash(machine.instance.id);

    expect(await fixture.open(result, 60 * seconds)).toBe(true);
  });
});

describe('cron', () => {
  it('runs at multiples of its period, skips while the machine sleeps, and does not catch up', async () => {
    const at: number[] = [];
    const period = 300 * seconds;
    machine.defineCommand('tick', async ({ clock }) => {
      at.push(clock.now());
      return 0;
    });
    machine.addCron('tick', period, 'tick');
    await fixture.clock.advance(2 * period);
    fixture.world.aws.ec2.stop(machine.instance.id, { hibernate: true });
    await fixture.clock.advance(10 * period);
    fixture.world.aws.ec2.start(machine.instance.id);
    await fixture.clock.advance(2 * period);

    expect(at.every((moment) => moment % period === 0)).toBe(true);
    expect(at.slice(1).map((moment, index) => (moment - at[index]!) / period)).toEqual([1, 11, 1]);
  });
});
