import { deepStrictEqual, ok } from 'node:assert/strict';
import { runnerService } from '@drover/core/names/runner-fleet';
import { type ContractCase, hostOf, listen, until } from './host-rig.test-support.ts';

const exitCodes = [0, 1, 2, 3, 5, 7];

/** The unit of the runner and its processes. */
export const serviceCases: readonly ContractCase[] = [
  {
    title: 'a unit that does not exist is inactive and has no end',
    needs: ['units'],
    run: async ({ kernel }) => {
      const { activeState, lastEnd } = kernel.unit('drover-no-such-unit');
      deepStrictEqual({ activeState, lastEnd }, { activeState: 'inactive', lastEnd: undefined });
    },
  },
  {
    title: 'a listener that runs is active',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      deepStrictEqual(hostOf(rig).service(), { active: true, lastEnd: undefined });
    },
  },
  ...exitCodes.map(
    (status): ContractCase => ({
      title: `the exit code ${status} of a listener is seen, and nothing starts it again`,
      needs: ['units'],
      run: async (rig) => {
        await rig.defineRunnerUnit({ kind: 'exits', status });
        await hostOf(rig).startService();
        await until(rig, 'it ended', () => !hostOf(rig).service().active);
        await rig.clock.sleep(500);
        const { active, lastEnd } = hostOf(rig).service();
        ok(!active);
        if (status !== 0 || lastEnd !== undefined) deepStrictEqual(lastEnd, { by: 'exit', status });
      },
    }),
  ),
  {
    title: 'a listener that is killed leaves its Worker, which still counts',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { worker: true });
      deepStrictEqual(hostOf(rig).workers(), 1);
      rig.killListener();
      await until(rig, 'it ended', () => !hostOf(rig).service().active);
      deepStrictEqual(hostOf(rig).service().lastEnd, { by: 'signal', status: 9 });
      deepStrictEqual(hostOf(rig).workers(), 1);
    },
  },
  {
    title: 'a process that a job left behind under the name of a Worker does not count',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { stray: true });
      ok(rig.kernel.processesOf('Runner.Worker').length > 0);
      deepStrictEqual(hostOf(rig).workers(), 0);
    },
  },
  {
    title: 'a process that a job left behind is ended between jobs, and the listener is not',
    needs: ['units', 'system'],
    run: async (rig) => {
      await listen(rig, { stray: true });
      ok(hostOf(rig).cleanBetweenJobs() > 0);
      await until(rig, 'it is gone', () => rig.kernel.processesOf('Runner.Worker').length === 0);
      ok(hostOf(rig).service().active);
      deepStrictEqual(rig.interrupts(), 0);
    },
  },
  {
    title: 'nothing is ended while a Worker lives',
    needs: ['units', 'system'],
    run: async (rig) => {
      await listen(rig, { worker: true, stray: true });
      await until(rig, 'both run', () => rig.kernel.processesOf('Runner.Worker').length === 2);
      deepStrictEqual(hostOf(rig).cleanBetweenJobs(), 0);
      deepStrictEqual(rig.kernel.processesOf('Runner.Worker').length, 2);
    },
  },
  {
    title: 'a process knows its user, its unit and its parent',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { worker: true });
      const [listener] = rig.kernel.processesOf('Runner.Listener');
      const [worker] = rig.kernel.processesOf('Runner.Worker');
      const { user, unit, parentPid } = worker!;
      deepStrictEqual(
        { user, unit, parentPid },
        { user: rig.config.runnerUser, unit: runnerService, parentPid: listener!.pid },
      );
    },
  },
  {
    title: 'a stop interrupts the listener once and ends it with code 0',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      await hostOf(rig).stopService();
      deepStrictEqual(rig.interrupts(), 1);
      deepStrictEqual(hostOf(rig).service().active, false);
    },
  },
  {
    title: 'a service that ended can be started again',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      await hostOf(rig).stopService();
      await hostOf(rig).startService();
      await until(rig, 'it runs again', () => hostOf(rig).service().active);
    },
  },
];
