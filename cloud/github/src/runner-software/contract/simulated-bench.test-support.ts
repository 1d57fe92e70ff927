import type { Program } from '@drover/cloud-machines';
import { MachineFixture } from '@drover/cloud-machines/testing';
import type { Clock } from '@drover/core';
import { CodeHost } from '../../code-host.ts';
import type { Message } from '../ports.ts';
import { runnerDirectory, workerName } from '../runner-files.ts';
import type { DirectSession } from '../simulated/direct-session.ts';
import { runnerSoftware } from '../simulated/simulated-software.ts';
import {
  away,
  type ListenerRequest,
  noteRequest,
  type RunnerBench,
  type RunnerPlatform,
  type RunningListener,
} from './runner-bench.test-support.ts';

const user = 'actions-runner';

/** The runner software on a simulated machine. */
export const simulatedPlatform: RunnerPlatform = {
  name: 'a simulated machine',
  kind: 'stand-in',
  speed: 1,
  exact: true,
  everything: true,
  async open(seed = 1): Promise<RunnerBench> {
    const fixture = new MachineFixture(seed);
    const machine = await fixture.launch();
    const host = new CodeHost(fixture.world.engine, { org: 'example-org' });
    host.join(fixture.world.network);
    let full = false;
    const software = runnerSoftware(host, { diskFull: () => full });
    machine.defineCommand('config.sh', software.config);
    const calls: string[] = [];
    const worker = () => machine.processes().find(({ name }) => name === workerName);
    const { engine } = fixture.world;
    const requests: ListenerRequest[] = [];
    const taken = new AbortController();
    noteSessions(host, fixture.clock, requests, taken.signal);
    return {
      host,
      engine,
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
      requests: () => requests,
      takeSession: () => taken.abort(),
      async goAway(how) {
        engine.faults.add({ service: 'platform', effect: away[how] });
      },
      pass: (ms) => fixture.clock.advance(ms),
      async until(holds, mostMs) {
        if (!(await fixture.clock.runUntil(holds, mostMs))) throw new Error(`it did not happen in ${mostMs} ms`);
      },
      async close() {},
    };
  },
};

/** Notes what simulated listeners ask; once their session is `taken` a poll finds it invalid, and another has it. */
function noteSessions({ registry }: CodeHost, clock: Clock, requests: ListenerRequest[], taken: AbortSignal): void {
  const connect = registry.connect.bind(registry);
  const invalid = new Promise<Message>((resolve) =>
    taken.addEventListener('abort', () => resolve({ kind: 'session-expired' })),
  );
  registry.connect = (runnerId, session, clientId) => {
    if (taken.aborted) return 'session-exists';
    const direct = session as DirectSession;
    const { nextMessage, acquire } = direct;
    const noted = async <T>(request: ListenerRequest, ask: () => Promise<T>): Promise<T> => {
      noteRequest(requests, request);
      const answer = await ask();
      request.until = clock.now();
      return answer;
    };
    direct.nextMessage = (status, signal) =>
      noted({ what: 'poll', status, at: clock.now() }, () =>
        Promise.race([invalid, nextMessage.call(direct, status, signal)]),
      );
    direct.acquire = (jobId, signal) =>
      noted({ what: 'acquire', at: clock.now() }, () => acquire.call(direct, jobId, signal));
    return connect(runnerId, session, clientId);
  };
}
