import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import { type ContractCase, type HostRig, until } from './host-rig.test-support.ts';

/** A case on units of its own, which can run beside others. `unit` is the name of its unit and of the runs that it counts. */
const unitCase = (title: string, unit: string, run: (rig: HostRig, unit: string) => Promise<void>): ContractCase => ({
  title,
  needs: ['units'],
  together: true,
  run: (rig) => run(rig, `drover-contract-${unit}`),
});

type Lines = readonly string[];

/** Defines a service, and perhaps a timer for it. */
const define = (
  rig: HostRig,
  unit: string,
  service: Lines,
  { timer, also = [] }: { timer?: Lines; also?: Lines } = {},
) =>
  rig.installUnits({
    [`${unit}.service`]: ['[Unit]', ...also, '[Service]', ...service, ''].join('\n'),
    ...(timer && { [`${unit}.timer`]: ['[Timer]', ...timer, 'AccuracySec=10ms', ''].join('\n') }),
  });

const oneshot = (rig: HostRig, unit: string, words: string, ...lines: Lines): Lines => [
  'Type=oneshot',
  `ExecStart=${rig.probe} ${unit} ${words}`,
  ...lines,
];

const stateOf = ({ kernel }: HostRig, unit: string) => kernel.unit(unit).activeState;
const statusOf = ({ kernel }: HostRig, unit: string) => {
  const { activeState, result } = kernel.unit(unit);
  return [activeState, result];
};
const whatOf = (rig: HostRig, unit: string) => rig.probed(unit).map(({ what }) => what);
const timesOf = (rig: HostRig, unit: string, wanted: string) =>
  rig.probed(unit).flatMap(({ what, at }) => (what === wanted ? [at] : []));

/** Whether one moment is that many seconds after another; a busy computer is a little late. */
function isLater(from: number | undefined, to: number | undefined, seconds: number): void {
  const [ms, wanted] = [(to ?? Number.NaN) - (from ?? Number.NaN), seconds * 1000];
  ok(ms >= wanted - 200 && ms < wanted + 3_000, `${ms} ms later, expected ${wanted}`);
}

async function begun(rig: HostRig, unit: string, count = 1): Promise<void> {
  for (let looks = 0; timesOf(rig, unit, 'begin').length < count; looks++) {
    ok(looks < 300, `not begun ${count} times within half a minute: ${unit}`);
    await rig.clock.sleep(100);
  }
}

/** systemd as it is: what the units that we ship rely on. */
export const unitCases: readonly ContractCase[] = [
  unitCase(
    'a oneshot is activating while it runs, and every start of it waits for the one run',
    'once',
    async (rig, unit) => {
      await define(rig, unit, oneshot(rig, unit, 'sleep=6'));
      const starts = [rig.kernel.startUnit(unit)];
      await begun(rig, unit);
      deepStrictEqual(stateOf(rig, unit), 'activating');
      starts.push(rig.kernel.startUnit(unit));
      await Promise.all(starts);
      deepStrictEqual(whatOf(rig, unit), ['begin', 'end']);
      deepStrictEqual(statusOf(rig, unit), ['inactive', 'success']);
    },
  ),
  unitCase(
    'a oneshot with RemainAfterExit is active after its end, and a start does not run it again',
    'remains',
    async (rig, unit) => {
      await define(rig, unit, oneshot(rig, unit, 'sleep=0', 'RemainAfterExit=yes'));
      for (const _ of [1, 2]) await rig.kernel.startUnit(unit);
      deepStrictEqual([stateOf(rig, unit), whatOf(rig, unit)], ['active', ['begin', 'end']]);
    },
  ),
  unitCase('a oneshot that is stopped while it runs has failed, and so has its start', 'stopped', async (rig, unit) => {
    await define(rig, unit, oneshot(rig, unit, 'sleep=30'));
    const start = rejects(rig.kernel.startUnit(unit));
    await begun(rig, unit);
    await rig.kernel.stopUnit(unit);
    await start;
    deepStrictEqual(statusOf(rig, unit), ['failed', 'signal']);
    deepStrictEqual(rig.kernel.unit(unit).lastEnd, { by: 'signal', status: 15 });
  }),
  unitCase(
    'a service that runs on and is stopped has not failed, although the signal ended it',
    'daemon',
    async (rig, unit) => {
      await define(rig, unit, [`ExecStart=${rig.probe} ${unit} sleep=30`]);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit);
      deepStrictEqual(stateOf(rig, unit), 'active');
      await rig.kernel.stopUnit(unit);
      deepStrictEqual(statusOf(rig, unit), ['inactive', 'success']);
    },
  ),
  unitCase('an exit code of RestartPreventExitStatus leaves a oneshot failed', 'prevented', async (rig, unit) => {
    const restart = ['Restart=on-failure', 'RestartSec=1', 'RestartPreventExitStatus=3 4', 'RemainAfterExit=yes'];
    await define(rig, unit, oneshot(rig, unit, 'exit=4', ...restart));
    await rejects(rig.kernel.startUnit(unit));
    await rig.clock.sleep(2_000);
    deepStrictEqual([...statusOf(rig, unit), ...whatOf(rig, unit)], ['failed', 'exit-code', 'begin', 'end']);
  }),
  unitCase(
    'a oneshot that fails is activating until it is started again, and its start has failed at once',
    'again',
    async (rig, unit) => {
      await define(rig, unit, oneshot(rig, unit, 'exit=1', 'Restart=on-failure', 'RestartSec=5'));
      await rejects(rig.kernel.startUnit(unit));
      deepStrictEqual([...statusOf(rig, unit), ...whatOf(rig, unit)], ['activating', 'exit-code', 'begin', 'end']);
      await begun(rig, unit, 2);
      const [first, second] = timesOf(rig, unit, 'begin');
      isLater(first, second, 5);
      await until(rig, 'it waits again', () => whatOf(rig, unit).length === 4);
      await rig.kernel.stopUnit(unit);
      deepStrictEqual(stateOf(rig, unit), 'inactive');
    },
  ),
  unitCase('a oneshot that runs longer than TimeoutStartSec is ended and has failed', 'hangs', async (rig, unit) => {
    await define(rig, unit, oneshot(rig, unit, 'sleep=30', 'TimeoutStartSec=1'));
    const began = rig.clock.now();
    await rejects(rig.kernel.startUnit(unit));
    ok(rig.clock.now() - began < 10_000);
    deepStrictEqual([...statusOf(rig, unit), ...whatOf(rig, unit)], ['failed', 'timeout', 'begin']);
  }),
  unitCase('OnUnitActiveSec counts from the start of a unit', 'from-start', async (rig, unit) => {
    const timer = ['OnActiveSec=1', 'OnUnitActiveSec=6'];
    await define(rig, unit, oneshot(rig, unit, 'sleep=4'), { timer });
    const started = rig.clock.now();
    await rig.kernel.startUnit(`${unit}.timer`);
    await begun(rig, unit, 2);
    const [first, second] = timesOf(rig, unit, 'begin');
    isLater(started, first, 1);
    isLater(first, second, 6);
  }),
  unitCase(
    'OnUnitInactiveSec counts from the end of a unit, also after a start by hand, and a failed one is started again',
    'from-end',
    async (rig, unit) => {
      const timer = ['OnActiveSec=1', 'OnUnitInactiveSec=6'];
      await define(rig, unit, oneshot(rig, unit, 'sleep=1 exit=1'), { timer });
      await rig.kernel.startUnit(`${unit}.timer`);
      await until(rig, 'it has run', () => timesOf(rig, unit, 'end').length === 1);
      await rig.clock.sleep(1_000);
      deepStrictEqual(statusOf(rig, unit), ['failed', 'exit-code']);
      await rejects(rig.kernel.startUnit(unit));
      await begun(rig, unit, 3);
      const ends = timesOf(rig, unit, 'end');
      isLater(ends[1], timesOf(rig, unit, 'begin')[2], 6);
    },
  ),
  unitCase(
    'a timer runs no unit twice at a time: one that takes longer than its period is started when it has ended',
    'longer',
    async (rig, unit) => {
      await define(rig, unit, oneshot(rig, unit, 'sleep=3'), { timer: ['OnActiveSec=1', 'OnUnitActiveSec=1'] });
      await rig.kernel.startUnit(`${unit}.timer`);
      await begun(rig, unit);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit, 2);
      deepStrictEqual(whatOf(rig, unit), ['begin', 'end', 'begin']);
      const [end = 0] = timesOf(rig, unit, 'end');
      ok(timesOf(rig, unit, 'begin')[1]! - end < 1_000);
    },
  ),
  unitCase(
    'a timer whose unit a condition holds back tries again, and the unit has not failed',
    'held-back',
    async (rig, unit) => {
      const mark = `${rig.config.runnerDirectory}/commissioned`;
      const timer = ['OnActiveSec=1', 'OnUnitInactiveSec=2'];
      await define(rig, unit, oneshot(rig, unit, 'sleep=0'), { timer, also: [`ConditionPathExists=${mark}`] });
      await rig.kernel.startUnit(`${unit}.timer`);
      await rig.clock.sleep(2_000);
      deepStrictEqual([...statusOf(rig, unit), ...whatOf(rig, unit)], ['inactive', 'success']);
      rig.kernel.writeFile(mark, '');
      await begun(rig, unit);
    },
  ),
  unitCase('a timer starts a unit again that hung until TimeoutStartSec', 'hung', async (rig, unit) => {
    const timer = ['OnActiveSec=1', 'OnUnitInactiveSec=1'];
    await define(rig, unit, oneshot(rig, unit, 'sleep=30', 'TimeoutStartSec=2'), { timer });
    await rig.kernel.startUnit(`${unit}.timer`);
    await begun(rig, unit, 2);
    const [first, second] = timesOf(rig, unit, 'begin');
    isLater(first, second, 3);
  }),
  unitCase('a timer that is stopped leaves the unit that it started', 'left-alone', async (rig, unit) => {
    await define(rig, unit, oneshot(rig, unit, 'sleep=4'), { timer: ['OnActiveSec=1', 'OnUnitInactiveSec=1'] });
    await rig.kernel.startUnit(`${unit}.timer`);
    await begun(rig, unit);
    await rig.kernel.stopUnit(`${unit}.timer`);
    await rig.clock.sleep(8_000);
    deepStrictEqual(whatOf(rig, unit), ['begin', 'end']);
  }),
  unitCase('the fifth start of a service within StartLimitIntervalSec is its last', 'limited', async (rig, unit) => {
    await define(rig, unit, [`ExecStart=${rig.probe} ${unit} exit=1`, 'Restart=on-failure', 'RestartSec=100ms'], {
      also: ['StartLimitIntervalSec=60'],
    });
    await rig.kernel.startUnit(unit);
    await until(rig, 'it is given up', () => stateOf(rig, unit) === 'failed');
    deepStrictEqual(timesOf(rig, unit, 'begin').length, 5);
  }),
  unitCase('a service with StartLimitIntervalSec=0 is started again for ever', 'unlimited', async (rig, unit) => {
    const service = [`ExecStart=${rig.probe} ${unit} exit=1`, 'Restart=on-failure', 'RestartSec=100ms'];
    await define(rig, unit, service, { also: ['StartLimitIntervalSec=0'] });
    await rig.kernel.startUnit(unit);
    await begun(rig, unit, 7);
    await rig.kernel.stopUnit(unit);
  }),
  unitCase(
    "a unit as Elasticsearch's starts until it is ready, stops for as long as it takes, and 143 is success",
    'slow',
    async (rig, unit) => {
      const ends = [
        'KillMode=process',
        'SendSIGKILL=no',
        'SuccessExitStatus=143',
        'TimeoutStopSec=0',
        'Restart=on-failure',
      ];
      const command = `ExecStart=${rig.probe} ${unit} ready=2 sleep=60 term=4 exit=143`;
      await define(rig, unit, ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=900', command, ...ends]);
      const start = rig.kernel.startUnit(unit);
      await begun(rig, unit);
      deepStrictEqual(stateOf(rig, unit), 'activating');
      await start;
      deepStrictEqual(stateOf(rig, unit), 'active');
      const stop = rig.kernel.stopUnit(unit);
      await until(rig, 'it was asked to stop', () => whatOf(rig, unit).includes('term'));
      await rig.clock.sleep(2_000);
      deepStrictEqual(stateOf(rig, unit), 'deactivating');
      await stop;
      deepStrictEqual(statusOf(rig, unit), ['inactive', 'success']);
      ok(rig.clock.now() - timesOf(rig, unit, 'term')[0]! >= 3_900);
    },
  ),
  unitCase(
    'a service of type notify that ends before it is ready has failed, although its exit code is 0',
    'unready',
    async (rig, unit) => {
      await define(rig, unit, ['Type=notify', `ExecStart=${rig.probe} ${unit} sleep=1`]);
      await rejects(rig.kernel.startUnit(unit));
      deepStrictEqual(statusOf(rig, unit), ['failed', 'protocol']);
    },
  ),
  unitCase('a start while a service is being stopped gives it a new process', 'restarted', async (rig, unit) => {
    await define(rig, unit, [`ExecStart=${rig.probe} ${unit} sleep=30 term=2`]);
    await rig.kernel.startUnit(unit);
    await begun(rig, unit);
    const stop = rig.kernel.stopUnit(unit).catch(() => {});
    await until(rig, 'it was asked to stop', () => whatOf(rig, unit).includes('term'));
    await rig.kernel.startUnit(unit);
    await stop;
    await begun(rig, unit, 2);
    deepStrictEqual([stateOf(rig, unit), ...whatOf(rig, unit)], ['active', 'begin', 'term', 'begin']);
  }),
  unitCase(
    'a service whose data volume is not mounted does not start, and has not failed',
    'unmounted',
    async (rig, unit) => {
      const folder = `/var/lib/${unit}`;
      const also = [`RequiresMountsFor=${folder}`, `ConditionPathIsMountPoint=${folder}`];
      await define(rig, unit, [`ExecStart=${rig.probe} ${unit} sleep=30`], { also });
      await rig.kernel.startUnit(unit);
      deepStrictEqual([...statusOf(rig, unit), ...whatOf(rig, unit)], ['inactive', 'success']);
      rig.mount(folder);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit);
      deepStrictEqual(stateOf(rig, unit), 'active');
    },
  ),
  unitCase(
    'a service does not start when ExecStartPre fails, and ExecStopPost runs',
    'unprepared',
    async (rig, unit) => {
      const command = (name: string, words = '') => `${rig.probe} ${unit}-${name} ${words}`;
      const lines = [`ExecStartPre=+${command('pre', 'exit=1')}`, `ExecStart=${command('main', 'sleep=30')}`];
      await define(rig, unit, [...lines, `ExecStopPost=${command('post')}`]);
      await rejects(rig.kernel.startUnit(unit));
      deepStrictEqual(statusOf(rig, unit), ['failed', 'exit-code']);
      const begins = ['pre', 'main', 'post'].map((name) => timesOf(rig, `${unit}-${name}`, 'begin').length);
      deepStrictEqual(begins, [1, 0, 1]);
    },
  ),
  unitCase(
    'a service is active after ExecStartPost, and ends when that fails unless its line begins with a dash',
    'posted',
    async (rig, unit) => {
      const service = (post: string) => [`ExecStart=${rig.probe} ${unit} sleep=30`, `ExecStartPost=${post}/bin/false`];
      await Promise.all([define(rig, `${unit}-dash`, service('-')), define(rig, unit, service(''))]);
      await rig.kernel.startUnit(`${unit}-dash`);
      deepStrictEqual(stateOf(rig, `${unit}-dash`), 'active');
      await rejects(rig.kernel.startUnit(unit));
      deepStrictEqual(statusOf(rig, unit), ['failed', 'exit-code']);
    },
  ),
  unitCase(
    'a service that does not stop within TimeoutStopSec is killed and has failed',
    'stubborn',
    async (rig, unit) => {
      const command = `ExecStart=${rig.probe} ${unit} sleep=30 term=30`;
      await define(rig, unit, [command, 'KillMode=process', 'TimeoutStopSec=2']);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit);
      const began = rig.clock.now();
      await rig.kernel.stopUnit(unit);
      ok(rig.clock.now() - began >= 1_900);
      deepStrictEqual(statusOf(rig, unit), ['failed', 'timeout']);
      deepStrictEqual(rig.kernel.unit(unit).lastEnd, { by: 'signal', status: 9 });
    },
  ),
  unitCase(
    'what is in a runtime directory with RuntimeDirectoryPreserve=yes outlives a restart',
    'kept',
    async (rig, unit) => {
      const keeps = [`RuntimeDirectory=${unit}`, 'RuntimeDirectoryPreserve=yes'];
      await define(rig, unit, [`ExecStart=${rig.probe} ${unit} sleep=30`, ...keeps]);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit);
      rig.kernel.writeFile(`/run/${unit}/order`, 'drain');
      await rig.kernel.stopUnit(unit);
      await rig.kernel.startUnit(unit);
      await begun(rig, unit, 2);
      deepStrictEqual(rig.kernel.readFile(`/run/${unit}/order`), 'drain');
      rig.kernel.remove(`/run/${unit}`);
    },
  ),
  unitCase(
    'a unit with After= waits for the other when that starts, and for nothing when it does not',
    'ordered',
    async (rig, unit) => {
      await Promise.all([
        define(rig, `${unit}-first`, oneshot(rig, `${unit}-first`, 'sleep=5')),
        define(rig, unit, oneshot(rig, unit, 'sleep=0'), { also: [`After=${unit}-first.service`] }),
      ]);
      await rig.kernel.startUnit(unit);
      deepStrictEqual([whatOf(rig, unit), whatOf(rig, `${unit}-first`)], [['begin', 'end'], []]);
      const first = rig.kernel.startUnit(`${unit}-first`);
      await begun(rig, `${unit}-first`);
      await rig.kernel.startUnit(unit);
      ok(timesOf(rig, unit, 'begin')[1]! >= timesOf(rig, `${unit}-first`, 'end')[0]!);
      await first;
    },
  ),
  {
    title:
      'cron runs a command with the shell, the path and the environment of its table, also beside one that still runs',
    needs: ['units', 'minutes'],
    together: true,
    run: async (rig) => {
      const name = 'drover-contract-cron';
      const shell = `${rig.config.runnerDirectory}/logged-shell`;
      const lines = [`SHELL=${shell}`, `PATH=${rig.config.runnerDirectory}:/usr/bin:/bin`, 'MAILTO=""'];
      await rig.installCron(name, [...lines, `*/1 * * * * root probe ${name} sleep=70 env=yes`, ''].join('\n'), shell);
      for (let looks = 0; looks < 130 && timesOf(rig, name, 'begin').length < 2; looks++) await rig.clock.sleep(1_000);
      deepStrictEqual(whatOf(rig, name), ['begin', 'begin']);
      const [first, second] = timesOf(rig, name, 'begin');
      isLater(first, second, 60);
      const { HOME, LOGNAME, SHELL, PATH, ...others } = rig.environmentOf(name);
      deepStrictEqual([HOME, LOGNAME, SHELL, PATH], ['/root', 'root', shell, lines[1]!.slice('PATH='.length)]);
      for (const key of ['USER', 'AWS_REGION', 'INVOCATION_ID']) deepStrictEqual(others[key], undefined);
    },
  },
];
