import type { MachineView, Program } from '@drover/cloud-machines';
import { elasticsearchService } from './elasticsearch-service.ts';
import type { SearchMachineHost } from './machine-host.ts';

const unitFolder = '/etc/systemd/system/';
/** The cron table that the configuration of a node writes. */
export const cronTable = '/etc/cron.d/drover-search';

/** Installs a file that takes effect when it is written: a cron table. Units take effect when they are started. */
export function installUnit(machine: MachineView, path: string, content: string): void {
  if (!path.startsWith('/etc/cron.d/')) return;
  for (const [index, line] of content.split('\n').entries()) {
    const [, every, command] = /^\*\/(\d+) \* \* \* \* root (.+)$/.exec(line) ?? [];
    if (command !== undefined) machine.addCron(`${path}:${index}`, Number(every) * 60_000, command);
    else if (/^[*\d]/.test(line)) throw new Error(`cron line not modelled: ${line}`);
  }
}

/** Starts a unit unless it runs. Units of packages are known by name, ours by their files. */
export function startUnit(host: SearchMachineHost, machine: MachineView, name: string): void {
  const unit = name.replace(/\.service$/, '');
  if (['active', 'activating'].includes(machine.serviceState(unit)) || !mayStart(machine, name)) return;
  machine.defineService({ name: unit, ...definition(host, machine, name) });
  machine.startService(unit);
}

function definition(host: SearchMachineHost, machine: MachineView, name: string) {
  if (name === 'elasticsearch')
    return { program: elasticsearchService(host), restart: 'on-failure' as const, restartDelayMs: 10_000 };
  if (name.startsWith('prometheus-')) return { program: untilStopped };
  const file = unitFile(machine, name);
  if (name.endsWith('.timer')) return { program: timer(host, machine, name, file) };
  return {
    program: oneShot(host, file),
    restart: file.get('Restart') === 'on-failure' ? ('on-failure' as const) : ('no' as const),
    restartDelayMs: spanMs(file.get('RestartSec')) ?? 100,
  };
}

/** `ConditionPathExists=` of a unit's file and of its drop-in: a start that it forbids does nothing and is no failure. */
function mayStart(machine: MachineView, name: string): boolean {
  const texts = [name, `${name}.service.d/drover.conf`].flatMap(
    (file) => machine.files.get(`${unitFolder}${file}`) ?? [],
  );
  return texts.every((text) => conditionsHold(machine, parseUnit(text)));
}

const conditionsHold = ({ files }: MachineView, unit: UnitFile) =>
  unit.all('ConditionPathExists').every((path) => files.has(path.replace('!', '')) !== path.startsWith('!'));

function unitFile(machine: MachineView, name: string): UnitFile {
  const text = machine.files.get(`${unitFolder}${name}`);
  if (text === undefined) throw new Error(`Unit ${name} not found.`);
  return parseUnit(text);
}

/** A program that serves until it is stopped. What it serves is not modelled. */
const untilStopped: Program = () => new Promise(() => {});

/** `Type=oneshot` with `RemainAfterExit=yes`: active from its success on. */
function oneShot(host: SearchMachineHost, file: UnitFile): Program {
  return async ({ machine }) => {
    const exitCode = await runExec(host, machine, file);
    const keepsQuiet = (file.get('RestartPreventExitStatus') ?? '').split(' ').includes(String(exitCode));
    if (exitCode !== 0 && !keepsQuiet) return exitCode;
    if (exitCode === 0 && file.get('RemainAfterExit') === 'yes') return await new Promise<number>(() => {});
    return 0;
  };
}

async function runExec(host: SearchMachineHost, machine: MachineView, file: UnitFile): Promise<number> {
  if (!conditionsHold(machine, file)) return 0;
  const { exitCode } = await machine.runCommand(file.get('ExecStart')!);
  if (exitCode === 0) for (const line of file.all('ExecStartPost')) afterStart(host, machine, line);
  return exitCode;
}

/** `ExecStartPost=`, one after the other; only what our units use. */
function afterStart(host: SearchMachineHost, machine: MachineView, line: string): void {
  const [, touched] = /^\/usr\/bin\/touch (\S+)$/.exec(line) ?? [];
  const [, started] = /^[-+]*\/usr\/bin\/systemctl start --no-block (\S+)$/.exec(line) ?? [];
  if (touched !== undefined) machine.files.set(touched, '');
  else if (started !== undefined) startUnit(host, machine, started);
  else throw new Error(`ExecStartPost=${line} is not modelled`);
}

/** systemd.timer(5): first a while after it was started, then a while after each run. */
function timer(host: SearchMachineHost, machine: MachineView, name: string, file: UnitFile): Program {
  const service = unitFile(machine, name.replace(/\.timer$/, '.service'));
  const firstMs = spanMs(file.get('OnActiveSec')) ?? 0;
  const everyMs = spanMs(file.get('OnUnitActiveSec') ?? file.get('OnUnitInactiveSec'))!;
  const spreadMs = spanMs(file.get('RandomizedDelaySec')) ?? 0;
  return async (context) => {
    for (let delayMs = firstMs; ; delayMs = everyMs) {
      await context.clock.sleep(delayMs + context.random.int(0, spreadMs));
      await runExec(host, context.machine, service);
    }
  };
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

const units: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** A time span of systemd.time(7), as far as our units use it: `90`, `10min`, `49h`. */
function spanMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = 's'] = /^(\d+)(s|min|h)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`time span ${text} is not modelled`);
  return Number(count) * units[unit]!;
}
