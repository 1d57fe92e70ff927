import { beforeEach, describe, expect, it } from 'vitest';
import { MachineFixture } from './machine-fixture.test-support.ts';
import type { ProcessContext, Program } from './program.ts';

let fixture: MachineFixture;

beforeEach(() => {
  fixture = new MachineFixture();
});

const seconds = 1_000;
const minutes = 60 * seconds;

describe('boot', () => {
  it('runs the programs that match the instance, with its user data, once the instance runs', async () => {
    const seen: string[] = [];
    fixture.world.machines.onBoot(
      ({ tags }) => tags.kind === 'runner',
      async ({ machine }) => {
        seen.push(`${machine.instance.state} ${machine.bootCount} ${machine.instance.userData}`);
        return 0;
      },
    );

    await fixture.launch({ UserData: Buffer.from('#cloud-config').toString('base64') }, { kind: 'runner' });
    await fixture.launch({}, { kind: 'other' });
    await fixture.clock.settle();

    expect(seen).toEqual(['running 1 #cloud-config']);
  });

  it('happens at another moment with another seed, and at the same with the same', async () => {
    const bootedAt = async (seed: number) => {
      const another = new MachineFixture(seed);
      await another.launch();
      return another.clock.now();
    };

    expect(await bootedAt(1)).toBe(await bootedAt(1));
    expect(await bootedAt(1)).not.toBe(await bootedAt(2));
  });

  it('a boot that fails never ends, which the status checks show', async () => {
    fixture.world.engine.faults.add({ service: 'machine', operation: 'boot', effect: { kind: 'boot-failure' } });
    let ran = false;
    fixture.world.machines.onBoot(
      () => true,
      async () => {
        ran = true;
        return 0;
      },
    );

    const id = await fixture.launchOnly();
    await fixture.clock.advance(10 * minutes);

    expect(ran).toBe(false);
    expect(fixture.world.machines.get(id)?.state).toBe('crashed');
    expect(fixture.world.aws.ec2.fleet.get(id).impaired).toBe(true);
  });

  it('a slow-boot fault delays the boot', async () => {
    const effect = { kind: 'slow-boot', ms: 20 * minutes } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'boot', effect });

    const id = await fixture.launchOnly();
    await fixture.clock.advance(20 * minutes);
    expect(fixture.world.machines.get(id)?.state).toBe('booting');

    await fixture.clock.advance(2 * minutes);
    expect(fixture.world.machines.get(id)?.state).toBe('up');
  });

  it('a boot program runs again after a stop, and finds the files of before but for those in /run', async () => {
    const machine = await fixture.launchWith(async ({ machine: own }) => {
      own.files.set('/boots', `${own.files.get('/boots') ?? ''}${own.bootCount}`);
      own.files.set('/run/boots', `${own.files.get('/run/boots') ?? ''}${own.bootCount}`);
      return 0;
    });
    fixture.world.aws.ec2.stop(machine.instance.id, { hibernate: false });
    await fixture.clock.runUntil(() => fixture.instanceState(machine) === 'stopped', 5 * minutes);
    fixture.world.aws.ec2.start(machine.instance.id);
    await fixture.clock.advance(5 * minutes);

    expect(machine.files.get('/boots')).toBe('12');
    expect(machine.files.get('/run/boots')).toBe('2');
  });
});

describe('death', () => {
  it('takes every process at once: timers do not fire, requests do not settle, signals find no process', async () => {
    const after: string[] = [];
    const survivor =
      (label: string): Program =>
      async (context) => {
        context.onSignal('SIGTERM', () => after.push(`${label} signal`));
        await context.clock.sleep(30 * seconds);
        after.push(`${label} timer`);
        return 0;
      };
    const machine = await fixture.launchWith(async (context) => {
      context.spawn('child', survivor('child'));
      return survivor('parent')(context);
    });
    await fixture.clock.settle();
    const [parent] = machine.processes();

    fixture.world.machines.kill(machine.instance.id);
    parent!.signal('SIGTERM');
    await fixture.clock.advance(10 * minutes);

    expect(after).toEqual([]);
    expect(machine.processes()).toEqual([]);
  });

  it('termination stops services first, and cuts off those that do not end', async () => {
    const story: string[] = [];
    const machine = await fixture.launchWith(async ({ machine: own }) => {
      own.defineService({
        name: 'polite',
        restart: 'always',
        program: (context) =>
          new Promise((resolve) => {
            context.onSignal('SIGTERM', () => {
              story.push('asked to end');
              context.clock.after(2 * seconds, () => {
                story.push(context.machine.instance.state);
                resolve(0);
              });
            });
          }),
      });
      own.defineService({
        name: 'stubborn',
        program: async (context) => {
          context.onSignal('SIGTERM', () => {});
          await context.clock.sleep(5 * minutes);
          story.push('survived');
          return 0;
        },
      });
      own.startService('polite');
      own.startService('stubborn');
      return 0;
    });
    await fixture.clock.settle();

    fixture.world.aws.ec2.terminate(machine.instance.id, 'test');
    expect(machine.state).toBe('shutting-down');
    await fixture.clock.advance(10 * minutes);

    expect(story).toEqual(['asked to end', 'shutting-down']);
    expect(machine.state).toBe('gone');
    expect(machine.processes()).toEqual([]);
  });

  it('a crash leaves an impaired instance, a kill a terminated one', async () => {
    const crashed = await fixture.launch();
    const killed = await fixture.launch();

    fixture.world.machines.crash(crashed.instance.id);
    fixture.world.machines.kill(killed.instance.id);
    await fixture.clock.advance(5 * minutes);

    expect(fixture.instanceState(crashed)).toBe('running');
    expect(fixture.world.aws.ec2.fleet.get(crashed.instance.id).impaired).toBe(true);
    expect(fixture.instanceState(killed)).toBe('terminated');
  });

  it('a crash fault kills a running machine', async () => {
    const machine = await fixture.launch();
    const effect = { kind: 'crash' } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'run', subject: machine.instance.id, effect });

    await fixture.clock.advance(1 * minutes);

    expect(machine.state).toBe('crashed');
  });

  it('an injected kill ends a process between its call and the response', async () => {
    const effect = { kind: 'kill', phase: 'after' } as const;
    fixture.world.engine.faults.add({ service: 'sts', operation: 'GetCallerIdentity', effect });
    let context: ProcessContext | undefined;
    let answered = false;
    const machine = await fixture.launchWith(async (own) => {
      context = own;
      const caller = { credentials: fixture.world.aws.iam.rootCredentials, process: ownProcess() };
      await fixture.world.aws.call('sts', 'GetCallerIdentity', {}, caller);
      answered = true;
      return 0;
    });
    const ownProcess = () => machineProcess(context!.pid);
    const machineProcess = (pid: number) =>
      fixture.world.machines
        .all()
        .flatMap((each) => each.processes())
        .find((process) => process.pid === pid)!;
    await fixture.clock.settle();

    expect(answered).toBe(false);
    expect(machine.processes()).toEqual([]);
  });

  it('leaves nothing behind: machines that are gone are forgotten', async () => {
    fixture.world.machines.timing.keepGoneMs = 10 * minutes;
    const machine = await fixture.launch();
    fixture.world.aws.ec2.terminate(machine.instance.id, 'test');
    await fixture.clock.advance(11 * minutes);

    await fixture.launch();

    expect(fixture.world.machines.get(machine.instance.id)).toBeUndefined();
  });
});
