import type { MachineView, Program, ServiceDefinition } from '@drover/cloud-machines';

/** Defines the unit that a file of systemd and its drop-ins describe. `program` takes the place of `ExecStart=`. */
export function defineUnit(machine: MachineView, name: string, texts: readonly string[], program?: Program): void {
  const file = parseUnit(texts.join('\n'));
  if (!name.endsWith('.timer')) return void machine.defineService(serviceOf(machine, name, file, program));
  machine.defineTimer({
    name,
    unit: name.replace(/\.timer$/, ''),
    onActiveMs: spanMs(file.get('OnActiveSec')),
    onUnitActiveMs: spanMs(file.get('OnUnitActiveSec')),
    onUnitInactiveMs: spanMs(file.get('OnUnitInactiveSec')),
    spreadMs: spanMs(file.get('RandomizedDelaySec')),
  });
}

/** The settings in the file of a unit, for a service whose program and name are known. Commands before its start are left out. */
export function unitSettings(machine: MachineView, text: string): Partial<ServiceDefinition> {
  const { name, program, startPre, ...settings } = serviceOf(machine, '', parseUnit(text));
  return settings;
}

function serviceOf(machine: MachineView, name: string, file: UnitFile, program?: Program): ServiceDefinition {
  const set = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value });
  const commands = (key: string) => (file.get(key) === undefined ? undefined : running(file.all(key)));
  const codes = (key: string) => (file.get(key) ?? '').split(' ').filter(Boolean).map(Number);
  return {
    name: name.replace(/\.service$/, ''),
    program: program ?? running(file.all('ExecStart')),
    after: file.all('After').flatMap((names) => names.split(' ').map((each) => each.replace(/\.service$/, ''))),
    mayStart: () => conditionsHold(machine, file),
    remainAfterExit: file.get('RemainAfterExit') === 'yes',
    restartPreventExitStatus: codes('RestartPreventExitStatus'),
    successExitStatus: codes('SuccessExitStatus'),
    ...set('type', file.get('Type')),
    ...set('user', file.get('User')),
    ...set('restart', file.get('Restart')),
    ...set('killMode', file.get('KillMode')),
    ...set('stopSignal', file.get('KillSignal')),
    ...set('startPre', commands('ExecStartPre')),
    ...set('startPost', commands('ExecStartPost')),
    ...set('stopPost', commands('ExecStopPost')),
    ...set('restartDelayMs', spanMs(file.get('RestartSec'))),
    ...set('startLimitMs', spanMs(file.get('StartLimitIntervalSec'))),
    ...set('startTimeoutMs', spanMs(file.get('TimeoutStartSec'))),
    ...set('stopTimeoutMs', spanMs(file.get('TimeoutStopSec'))),
  };
}

/** Command lines, one after the other until one fails; a failure of one that begins with `-` does not count. */
const running =
  (lines: readonly string[]): Program =>
  async ({ exec }) => {
    for (const line of lines) {
      const [, prefix = '', command = ''] = /^([-+]*)(.*)$/.exec(line) ?? [];
      const exitCode = await exec(command);
      if (exitCode !== 0 && !prefix.includes('-')) return exitCode;
    }
    return 0;
  };

function conditionsHold({ files, mounts }: MachineView, unit: UnitFile): boolean {
  const holds = (key: string, has: (path: string) => boolean) =>
    unit.all(key).every((path) => has(path.replace('!', '')) !== path.startsWith('!'));
  return (
    holds('ConditionPathExists', (path) => files.has(path)) &&
    holds('ConditionPathIsMountPoint', (path) => mounts.has(path))
  );
}

/** The lines of a systemd unit by key. */
interface UnitFile {
  /** The last line of a key wins. */
  get(key: string): string | undefined;
  /** The lines of a key that may stand more than once, in their order. */
  all(key: string): readonly string[];
}

function parseUnit(text: string): UnitFile {
  const lines = text.split('\n').flatMap((line) => {
    const [, key, value] = /^([A-Za-z]\w*)=(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value: value! }];
  });
  const all = (key: string) => lines.filter((line) => line.key === key).map(({ value }) => value);
  return { get: (key) => all(key).at(-1), all };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** A time span of systemd.time(7), as far as our units use it: `90`, `10min`, `49h`. */
function spanMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = 's'] = /^(\d+)(ms|s|min|h)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`time span ${text} is not modelled`);
  return Number(count) * units[unit]!;
}
