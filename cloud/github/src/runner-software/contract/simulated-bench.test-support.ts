import type { Program } from '@drover/cloud-machines';
import { MachineFixture } from '@drover/cloud-machines/testing';
import { CodeHost } from '../../code-host.ts';
import { runnerDirectory, workerName } from '../runner-files.ts';
import { runnerSoftware } from '../simulated/simulated-software.ts';
import type { RunnerBench, RunnerPlatform, RunningListener } from './runner-bench.test-support.ts';

const user = 'actions-runner';

/** The runner software on a simulated machine. */
export const simulatedPlatform: RunnerPlatform = {
  name: 'a simulated machine',
  kind: 'stand-in',
  speed: 1,
  exact: true,
  everything: true,
  async open(): Promise<RunnerBench> {
    const fixture = new MachineFixture();
    const machine = await fixture.launch();
    const host = new CodeHost(fixture.world.engine, { org: 'example-org' });
    host.join(fixture.world.network);
    let full = false;
    const software = runnerSoftware(host, { diskFull: () => full });
    machine.defineCommand('config.sh', software.config);
    const calls: string[] = [];
    const worker = () => machine.processes().find(({ name }) => name === workerName);
    return {
      host,
      engine: fixture.world.engine,
      address: 'api.github.com',
      url: 'https://github.com/example-org',
      async config(args, env = {}) {
        const line = ['config.sh', ...args].map((word) => `'${word}'`).join(' ');
        const { exitCode, stdout, stderr } = await fixture.until(machine.runCommand(line, { env, user }));
        return { code: exitCode, output: stdout + stderr };
      },
      listen({ args = [], env = {} } = {}): RunningListener {
        const name = `listener-${machine.processes().length}-${fixture.clock.now()}`;
        const argv = [`${runnerDirectory}/bin/Runner.Listener`, ...args];
        const listener = machine.spawn(name, software.listener, { argv, env, user });
        return {
          output: () => machine.logOf(name).join('\n'),
          exitCode: () => listener.exitCode,
          signal: (signal) => listener.signal(signal),
        };
      },
      read: (file) => machine.files.get(`${runnerDirectory}/${file}`),
      files: () =>
        [...machine.files.keys()]
          .filter((path) => path.startsWith(runnerDirectory))
          .map((path) => path.slice(runnerDirectory.length + 1)),
      write: (file, text) => void machine.files.set(`${runnerDirectory}/${file}`, text),
      remove: (file) => void machine.files.delete(`${runnerDirectory}/${file}`),
      signalWorker: (name) => worker()?.signal(name),
      works: () => worker() !== undefined,
      workers: () => machine.processes().filter(({ name }) => name === workerName).length,
      hook(name, behaves) {
        const program: Program = async () => {
          calls.push(name);
          return behaves === 'hangs' ? await new Promise<number>(() => {}) : behaves;
        };
        machine.defineCommand(`/hooks/${name}.sh`, program);
        return { [`ACTIONS_RUNNER_HOOK_JOB_${name}`]: `/hooks/${name}.sh` };
      },
      hookCalls: () => calls,
      fillDisk() {
        full = true;
      },
      pass: (ms) => fixture.clock.advance(ms),
      async until(holds, mostMs) {
        if (!(await fixture.clock.runUntil(holds, mostMs))) throw new Error(`it did not happen in ${mostMs} ms`);
      },
      async close() {},
    };
  },
};
