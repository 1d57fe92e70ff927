import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { Hints } from '../hints.ts';
import { linuxKernel } from '../linux-kernel.ts';
import { bootFiles, lifeFile } from '../runner-host.ts';
import { contractConfig, type HostRig, type Need, type UnitBehaviour } from './host-rig.test-support.ts';

const unitFolder = '/run/systemd/system';
const cronFolder = '/etc/cron.d';
const unitFile = `${unitFolder}/${runnerService}.service`;
const configScript = `#!/bin/bash
if [ -f .runner ]; then echo 'Cannot configure the runner because it is already configured.' >&2; exit 1; fi
name=
while [ $# -gt 0 ]; do if [ "$1" = --name ]; then name=$2; fi; shift; done
echo "name: $name, token: \${#ACTIONS_RUNNER_INPUT_TOKEN} characters"
echo '{}' > .runner
`;

const probeScript = (directory: string) => `#!/bin/bash
name=$1; shift; sleep=0 exit=0 term= ready= env=
for word in "$@"; do declare "$word"; done
say() { echo "$1 $(date +%s%3N)" >> ${directory}/probe-$name; }
[ -z "$term" ] || trap 'say term; sleep $term; exit $exit' TERM
[ -z "$env" ] || env > ${directory}/env-$name
say begin
[ -z "$ready" ] || { sleep $ready & wait $!; systemd-notify --ready; }
sleep $sleep & wait $!
say end
exit $exit
`;

/**
 * This very Linux. `system`: a machine of its own, booted by systemd, whose unit `actions-runner` and firewall may be replaced,
 * with root's rights; else only what any user can do anywhere is tried.
 */
export function linuxRig(options: {
  readonly system: boolean;
  readonly user: string;
  readonly minutes?: boolean;
}): HostRig {
  const clock = new RealClock();
  const kernel = linuxKernel(clock, new Hints(clock));
  const directory = mkdtempSync(join(tmpdir(), 'drover-host-'));
  const interruptsFile = join(directory, 'interrupts');
  const must = (file: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`);
  };
  const signal = (program: string) => {
    for (const { pid } of kernel.processesOf(program)) process.kill(pid, 'SIGKILL');
  };
  if (options.system) {
    chmodSync(directory, 0o755);
    chownSync(directory, idOf(options.user, 'u'), idOf(options.user, 'g'));
  }
  const probe = join(directory, 'probe');
  const [installed, mounted, tables] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let reloaded: Promise<void> | undefined;
  /** One for all that ask at the same time. */
  const reload = () => {
    reloaded ??= clock.sleep(300).then(() => {
      reloaded = undefined;
      must('systemctl', 'daemon-reload');
    });
    return reloaded;
  };
  return {
    kernel,
    clock,
    probe,
    async installUnits(files) {
      writeFileSync(probe, probeScript(directory), { mode: 0o755 });
      for (const [name, text] of Object.entries(files)) {
        installed.add(name);
        writeFileSync(join(unitFolder, name), text);
      }
      await reload();
    },
    probed: (name) =>
      (kernel.readFile(join(directory, `probe-${name}`)) ?? '')
        .split('\n')
        .filter(Boolean)
        .map((line) => ({ what: line.split(' ')[0]!, at: Number(line.split(' ')[1]) })),
    config: contractConfig({ runnerDirectory: directory, runnerUser: options.user }),
    lacks: lacksOf(options),
    async defineRunnerUnit(behaviour) {
      writeFileSync(join(directory, 'listener.sh'), listenerScript(directory, behaviour));
      writeFileSync(unitFile, unitText(directory, options.user));
      must('systemctl', 'daemon-reload');
    },
    environmentOf: (name) =>
      Object.fromEntries((kernel.readFile(join(directory, `env-${name}`)) ?? '').split('\n').map(pair)),
    mount(folder) {
      mkdirSync(folder, { recursive: true });
      mounted.add(folder);
      must('mount', '-t', 'tmpfs', 'tmpfs', folder);
    },
    async installCron(name, table, shell) {
      writeFileSync(probe, probeScript(directory), { mode: 0o755 });
      writeFileSync(shell, '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 });
      writeFileSync(join(cronFolder, name), table);
      tables.add(name);
    },
    killListener: () => signal('Runner.Listener'),
    interrupts: () => (kernel.readFile(interruptsFile) ?? '').length,
    installConfigScript() {
      writeFileSync(join(directory, 'config.sh'), configScript, { mode: 0o755 });
      mkdirSync(join(directory, 'bin'), { recursive: true });
      writeFileSync(join(directory, 'bin/Runner.Worker'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    },
    ownerOf: (path) => spawnSync('stat', ['--format=%U', path], { encoding: 'utf8' }).stdout.trim(),
    plantLink: (path, to) => symlinkSync(to, path),
    plantFifo(path) {
      must('mkfifo', path);
      // A writer comes in the end: a reader that waited for it fails, instead of hanging with everything else.
      spawn('sh', ['-c', 'sleep 3; [ ! -p "$0" ] || exec 3<>"$0"; sleep 3', path], { stdio: 'ignore' }).unref();
    },
    setFreeBytes: () => {
      throw new Error('the space of a real disk cannot be set');
    },
    async reset() {
      const removeFiles = () => {
        for (const { name } of kernel.list(directory)) kernel.remove(join(directory, name));
      };
      if (!options.system) return removeFiles();
      await kernel.stopUnit(runnerService).catch(() => {});
      for (const program of ['Runner.Worker', 'Runner.Listener']) signal(program);
      spawnSync('systemctl', ['reset-failed', runnerService]);
      for (const file of [...Object.values(bootFiles), '/run/runner-agent/silenced', lifeFile]) kernel.remove(file);
      for (const name of [...installed].sort().reverse()) {
        await kernel.stopUnit(name).catch(() => {});
        spawnSync('systemctl', ['reset-failed', name]);
        rmSync(join(unitFolder, name), { force: true });
      }
      for (const folder of mounted) spawnSync('umount', [folder]);
      for (const name of tables) rmSync(join(cronFolder, name));
      for (const each of [installed, mounted, tables]) each.clear();
      rmSync(unitFile, { force: true });
      removeFiles();
    },
  };
}

const pair = (line: string): [string, string] => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)];

const idOf = (user: string, kind: 'u' | 'g') =>
  Number(spawnSync('id', [`-${kind}`, user], { encoding: 'utf8' }).stdout.trim());

function lacksOf({ system, minutes = false }: { system: boolean; minutes?: boolean }): Partial<Record<Need, string>> {
  const disk = 'the space of a real disk cannot be set';
  const patience = minutes ? {} : { minutes: 'takes minutes' };
  if (system) return { disk, ...patience };
  const reason = 'needs a machine of its own';
  return { disk, units: reason, firewall: reason, users: reason, system: reason, ...patience };
}

/** As Puppet's unit has it, as far as systemd treats the processes. */
const unitText = (directory: string, user: string) => `[Service]
User=${user}
WorkingDirectory=${directory}
ExecStart=/bin/bash ${directory}/listener.sh
KillMode=process
KillSignal=SIGINT
Restart=no
`;

/** The shell becomes the listener, under the name that the real one has. */
function listenerScript(directory: string, behaviour: UnitBehaviour): string {
  const named = (name: string) => `exec -a ${directory}/bin/${name}`;
  if (behaviour.kind === 'exits') return `echo '${behaviour.says ?? ''}' >&2; exit ${behaviour.status}\n`;
  const worker = `(${named('Runner.Worker')} sleep 600) &`;
  const body = [
    `trap 'printf x >> ${directory}/interrupts; exit 0' INT`,
    behaviour.worker ? worker : '',
    // Its parent ends at once, as a step of a job does.
    behaviour.stray ? `(${worker} )` : '',
    ...(behaviour.words === undefined
      ? []
      : [
          `echo '${behaviour.words.listener}'`,
          `systemd-cat --identifier=${behaviour.words.jobTag} sh -c "echo '${behaviour.words.job}'; exec sleep 600" &`,
        ]),
    // Without a child of its own: an idle listener has none.
    `mkfifo ${directory}/quiet.$$; exec 9<>${directory}/quiet.$$; while :; do read -t 0.2 -u 9; done`,
  ].join('\n');
  return `${named('Runner.Listener')} /bin/bash -c ${JSON.stringify(body).replaceAll('$', '\\$').replaceAll('\\n', '\n')}\n`;
}

/** For scripts: whether systemd has booted this system. */
export const isBootedBySystemd = (): boolean =>
  process.getuid?.() === 0 && readFileSync('/proc/1/comm', 'utf8').trim() === 'systemd';
