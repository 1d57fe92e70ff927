import type { ProcessContext, Program } from '@drover/cloud-machines';
import { runnerService } from '@drover/core/names/runner-fleet';
import { contractConfig, type HostRig, type UnitBehaviour } from '@drover/runner-agent/testing';
import { installCronTable } from '../cron-table.ts';
import { defineUnit } from '../unit-file.ts';
import { selfChecks } from './runner-image.ts';
import { simulatedKernel } from './simulated-kernel.ts';
import { WakeSignal } from './wake-signals.ts';

const directory = '/opt/actions-runner';
const probe = `${directory}/probe`;

/** A simulated machine under the contract, seen from a process of root. */
export function simulatedRig(context: ProcessContext): HostRig {
  const { machine, clock } = context;
  const commands = { 'config.sh': configScript, sleep, ...selfChecks(machine) };
  const kernel = simulatedKernel(context, { signal: new WakeSignal(), commands });
  machine.defineCommand(probe, probeProgram);
  machine.defineCommand('/bin/false', async () => 1);
  return {
    kernel,
    clock,
    probe,
    installUnits: async (files) => {
      for (const [name, text] of Object.entries(files)) defineUnit(machine, name, [text]);
    },
    probed: (name) =>
      (machine.files.get(`/probe-${name}`) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => ({ what: line.split(' ')[0]!, at: Number(line.split(' ')[1]) })),
    config: contractConfig({ runnerDirectory: directory, runnerUser: runnerService }),
    lacks: {},
    defineRunnerUnit: async (behaviour) =>
      machine.defineService({
        name: runnerService,
        user: runnerService,
        program: listener(behaviour),
        argv: [`${directory}/bin/Runner.Listener`, 'run'],
        killMode: 'process',
        stopSignal: 'SIGINT',
      }),
    environmentOf: (name) => JSON.parse(machine.files.get(`/env-${name}`) ?? '{}') as Record<string, string>,
    mount: (folder) => void machine.mounts.add(folder),
    installCron: async (name, table, shell) => {
      machine.defineCommand('probe', probeProgram);
      machine.files.set(shell, '');
      installCronTable(machine, `/etc/cron.d/${name}`, table);
    },
    killListener: () =>
      machine
        .processes()
        .find(({ argv }) => argv[0]?.endsWith('/Runner.Listener'))
        ?.signal('SIGKILL'),
    interrupts: () => (machine.files.get('/interrupts') ?? '').length,
    installConfigScript: () => {
      for (const name of ['config.sh', 'bin/Runner.Worker']) machine.files.set(`${directory}/${name}`, '');
    },
    plantFifo: (path) => void machine.fifos.add(path),
    setFreeBytes: (bytes) => {
      machine.disk.freeBytes = bytes;
    },
    reset: async () => {},
  };
}

const probeProgram: Program = async ({ argv, env, clock, machine, onSignal, notifyReady }) => {
  const [, name, ...words] = argv;
  const given = new Map(words.map((word) => word.split('=') as [string, string]));
  const pause = (seconds: string) => clock.sleep(Number(seconds) * 1000);
  const say = (what: string) => {
    const file = `/probe-${name}`;
    machine.files.set(file, `${machine.files.get(file) ?? ''}${what} ${clock.now()}\n`);
  };
  const status = Number(given.get('exit') ?? 0);
  const term = given.get('term');
  const terminated = new Promise<number>((resolve) => {
    if (term !== undefined)
      onSignal('SIGTERM', () => {
        say('term');
        void pause(term).then(() => resolve(status));
      });
  });
  const worked = async () => {
    if (given.has('env')) machine.files.set(`/env-${name}`, JSON.stringify(env));
    say('begin');
    if (given.has('ready')) {
      await pause(given.get('ready')!);
      notifyReady();
    }
    await pause(given.get('sleep') ?? '0');
    say('end');
    return status;
  };
  return await Promise.race([terminated, worked()]);
};

const sleep: Program = async ({ argv, clock }) => {
  await clock.sleep(Number(argv[1]) * 1000);
  return 0;
};

const configScript: Program = async ({ argv, env, machine, stdout, stderr }) => {
  if (machine.files.has(`${directory}/.runner`)) {
    stderr('Cannot configure the runner because it is already configured.\n');
    return 1;
  }
  const name = argv[argv.indexOf('--name') + 1];
  stdout(`name: ${name}, token: ${env.ACTIONS_RUNNER_INPUT_TOKEN?.length} characters\n`);
  machine.files.set(`${directory}/.runner`, '{}');
  return 0;
};

const runsOn: Program = () => new Promise(() => {});
const worker = { argv: [`${directory}/bin/Runner.Worker`] };

function listener(behaviour: UnitBehaviour): Program {
  return async (context) => {
    const { machine } = context;
    if (behaviour.kind === 'exits') {
      if (behaviour.says !== undefined) context.log(behaviour.says);
      return behaviour.status;
    }
    const { words } = behaviour;
    if (words !== undefined) {
      context.log(words.listener);
      context.spawn('step', async (step) => {
        step.log(words.job, words.jobTag);
        return 0;
      });
    }
    if (behaviour.worker) context.spawn('Runner.Worker', runsOn, worker);
    if (behaviour.stray)
      context.spawn('step', async (step) => {
        step.spawn('Runner.Worker', runsOn, worker);
        return 0;
      });
    return await new Promise((exit) =>
      context.onSignal('SIGINT', () => {
        machine.files.set('/interrupts', `${machine.files.get('/interrupts') ?? ''}x`);
        exit(0);
      }),
    );
  };
}
