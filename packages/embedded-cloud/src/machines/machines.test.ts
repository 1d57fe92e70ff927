import { beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from './machine.ts';
import { idle, MachineFixture } from './machine-fixture.ts';
import type { ProcessContext, Program } from './program.ts';

let fixture: MachineFixture;

beforeEach(() => {
  fixture = new MachineFixture();
});

const seconds = 1_000;
const minutes = 60 * seconds;
const stateOf = (machine: Machine) => fixture.world.aws.ec2.instances.get(machine.instance.id)?.state;

/** Launches a machine that runs one program at boot. */
function launchWith(program: Program): Promise<Machine> {
  fixture.world.machines.onBoot(() => true, program);
  return fixture.launch();
}

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

  it('never comes when it fails, which the status checks show', async () => {
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

  it('can be slow', async () => {
    const effect = { kind: 'slow-boot', ms: 20 * minutes } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'boot', effect });

    const id = await fixture.launchOnly();
    await fixture.clock.advance(20 * minutes);
    expect(fixture.world.machines.get(id)?.state).toBe('booting');

    await fixture.clock.advance(2 * minutes);
    expect(fixture.world.machines.get(id)?.state).toBe('up');
  });

  it('runs again after a stop, and finds the files of before', async () => {
    const machine = await launchWith(async ({ machine: own }) => {
      own.files.set('/boots', `${own.files.get('/boots') ?? ''}${own.bootCount}`);
      return 0;
    });
    fixture.world.aws.ec2.stop(machine.instance.id, { hibernate: false });
    await fixture.clock.runUntil(() => stateOf(machine) === 'stopped', 5 * minutes);
    fixture.world.aws.ec2.start(machine.instance.id);
    await fixture.clock.advance(5 * minutes);

    expect(machine.files.get('/boots')).toBe('12');
  });
});

describe('hibernation', () => {
  const hibernate = async (machine: Machine) => {
    fixture.world.aws.ec2.stop(machine.instance.id, { hibernate: true });
    await fixture.clock.runUntil(() => stateOf(machine) !== 'stopping', 5 * minutes);
  };
  const wake = async (machine: Machine) => {
    fixture.world.aws.ec2.start(machine.instance.id);
    await fixture.clock.runUntil(() => machine.state === 'up', 5 * minutes);
  };

  it('[rule 4] lets processes go on where they were, with a clock that has jumped, and no second boot', async () => {
    const ticks: number[] = [];
    let boots = 0;
    const machine = await launchWith(async ({ clock }) => {
      boots += 1;
      for (;;) {
        ticks.push(clock.now());
        await clock.sleep(60 * seconds);
      }
    });
    await fixture.clock.advance(90 * seconds);
    const pid = machine.processes()[0]!.pid;

    await hibernate(machine);
    expect(stateOf(machine)).toBe('stopped');
    const asleep = ticks.length;
    await fixture.clock.advance(120 * minutes);
    expect(ticks).toHaveLength(asleep);
    await wake(machine);
    // Half a minute was left of the sleep; it is still left.
    await fixture.clock.advance(35 * seconds);

    expect(machine.processes()[0]!.pid).toBe(pid);
    expect(ticks).toHaveLength(asleep + 1);
    expect(ticks.at(-1)! - ticks.at(-2)!).toBeGreaterThan(120 * minutes);
    expect(boots).toBe(1);
    expect(machine.bootCount).toBe(1);
  });

  it('[rule 4] that fails leaves the instance running', async () => {
    const effect = { kind: 'failed-hibernation' } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'hibernate', effect });
    const machine = await launchWith(idle);

    await hibernate(machine);

    expect(stateOf(machine)).toBe('running');
    expect(machine.state).toBe('up');
    expect(machine.processes()).toHaveLength(1);
  });

  it('resets connections whose answer came while nobody was there', async () => {
    fixture.world.network.register('slow.example', async () => {
      await fixture.clock.sleep(60 * seconds);
      return { status: 200, headers: {}, body: '' };
    });
    let outcome = 'none';
    const machine = await launchWith(async (context) => {
      const request = {
        method: 'GET',
        host: 'slow.example',
        path: '/',
        query: '',
        headers: {},
        body: new Uint8Array(),
      };
      await context.http(request).catch((error: Error) => {
        outcome = error.message;
      });
      return 0;
    });
    await fixture.clock.settle();

    await hibernate(machine);
    await fixture.clock.advance(10 * minutes);
    expect(outcome).toBe('none');
    await wake(machine);
    await fixture.clock.settle();

    expect(outcome).toBe('read ECONNRESET');
  });

  it('ends with termination: nothing wakes again', async () => {
    let ended = false;
    const machine = await launchWith(async ({ clock }) => {
      await clock.sleep(60 * minutes);
      ended = true;
      return 0;
    });
    await hibernate(machine);

    fixture.world.aws.ec2.terminate(machine.instance.id, 'test');
    await fixture.clock.advance(180 * minutes);

    expect(machine.state).toBe('gone');
    expect(ended).toBe(false);
  });
});

describe('death', () => {
  it('takes every process at once: timers do not fire, requests do not settle, signals find nobody', async () => {
    const after: string[] = [];
    const survivor =
      (label: string): Program =>
      async (context) => {
        context.onSignal('SIGTERM', () => after.push(`${label} signal`));
        await context.clock.sleep(30 * seconds);
        after.push(`${label} timer`);
        return 0;
      };
    const machine = await launchWith(async (context) => {
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

  it('by termination comes in order: services are stopped first, and those that do not end are cut off', async () => {
    const story: string[] = [];
    const machine = await launchWith(async ({ machine: own }) => {
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

  it('by a crash leaves an impaired instance, by a kill a terminated one', async () => {
    const crashed = await fixture.launch();
    const killed = await fixture.launch();

    fixture.world.machines.crash(crashed.instance.id);
    fixture.world.machines.kill(killed.instance.id);
    await fixture.clock.advance(5 * minutes);

    expect(stateOf(crashed)).toBe('running');
    expect(fixture.world.aws.ec2.fleet.get(crashed.instance.id).impaired).toBe(true);
    expect(stateOf(killed)).toBe('terminated');
  });

  it('can be injected as a fault', async () => {
    const machine = await fixture.launch();
    const effect = { kind: 'crash' } as const;
    fixture.world.engine.faults.add({ service: 'machine', operation: 'run', subject: machine.instance.id, effect });

    await fixture.clock.advance(1 * minutes);

    expect(machine.state).toBe('crashed');
  });

  it('of a process by an injected kill ends it between its call and the answer', async () => {
    const effect = { kind: 'kill', phase: 'after' } as const;
    fixture.world.engine.faults.add({ service: 'sts', operation: 'GetCallerIdentity', effect });
    let context: ProcessContext | undefined;
    let answered = false;
    const machine = await launchWith(async (own) => {
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

describe('the remote-command agent', () => {
  const managedCore = ['AmazonSSMManagedInstanceCore'];
  const profile = { IamInstanceProfile: { Name: 'node' } };
  const send = (id: string, ...commands: string[]) =>
    fixture.world.aws.call(
      'ssm',
      'SendCommand',
      { DocumentName: 'AWS-RunShellScript', InstanceIds: [id], Parameters: { commands } },
      fixture.root,
    );
  const invocation = async (id: string, sent: unknown) => {
    const { CommandId } = (sent as { Command: { CommandId: string } }).Command;
    const input = { CommandId, InstanceId: id };
    return (await fixture.world.aws.call('ssm', 'GetCommandInvocation', input, fixture.root)) as Record<
      string,
      unknown
    >;
  };

  it('registers when the role may, and runs commands with their output and exit code', async () => {
    await fixture.createProfile('node', [], managedCore);
    fixture.world.machines.onBoot(
      () => true,
      async ({ machine }) => {
        machine.defineCommand('status', async ({ stdout, argv }) => {
          stdout(`idle ${argv[1]}\n`);
          return 3;
        });
        return 0;
      },
    );
    const { instance } = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    const sent = await send(instance.id, 'echo "one two"', 'status now');
    await fixture.clock.advance(30 * seconds);

    expect(await invocation(instance.id, sent)).toMatchObject({
      Status: 'Failed',
      ResponseCode: 3,
      StandardOutputContent: 'one two\nidle now\n',
    });
  });

  it('[rule 15] never registers without a role that may, or when a fault kills it first', async () => {
    await fixture.createProfile('node', [], []);
    const powerless = await fixture.launch(profile);
    const bare = await fixture.launch();
    await fixture.iam('AttachRolePolicy', {
      RoleName: 'node',
      PolicyArn: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore',
    });
    fixture.world.engine.faults.add({ service: 'machine', operation: 'agent', effect: { kind: 'dead-agent' } });
    const struck = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    for (const { instance } of [powerless, bare, struck])
      await expect(send(instance.id, 'true')).rejects.toMatchObject({ code: 'InvalidInstanceId' });
  });

  it('[rule 15] that dies later leaves commands pending', async () => {
    await fixture.createProfile('node', [], managedCore);
    const { instance } = await fixture.launch(profile);
    await fixture.clock.advance(30 * seconds);

    fixture.world.machines.get(instance.id)!.killAgent();
    const sent = await send(instance.id, 'true');
    await fixture.clock.advance(5 * minutes);

    expect(await invocation(instance.id, sent)).toMatchObject({ Status: 'Pending' });
  });
});
