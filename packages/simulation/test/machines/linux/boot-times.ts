import type { LinuxFleet } from './linux-fleet.ts';

/** Seconds since the first process of a machine until each step of its boot. */
export interface BootTimes {
  readonly cloudInit: number;
  readonly bootScript: number;
  readonly agent: number;
  readonly booted: number;
  readonly listening: number;
}

/** On the machine: its clock of boots is that of the computer, so everything is counted from its first process. */
const script = `import json, os, subprocess, time
start = int(open('/proc/1/stat').read().rsplit(')', 1)[1].split()[19]) / os.sysconf('SC_CLK_TCK')
def unit(name, what):
    shown = subprocess.run(['systemctl', 'show', '--value', f'--property={what}TimestampMonotonic', name], capture_output=True, text=True)
    return int(shown.stdout or 0) / 1e6 - start
lines = subprocess.run(['journalctl', '--unit=actions-runner', '--output=json'], capture_output=True, text=True).stdout.splitlines()
heard = [line for line in map(json.loads, lines) if 'Listening for Jobs' in str(line['MESSAGE'])]
age = time.time() - os.stat('/run/drover/booted').st_mtime
print(json.dumps({
    'cloudInit': unit('cloud-init.service', 'ActiveEnter'),
    'bootScript': unit('cloud-final.service', 'InactiveExit'),
    'agent': unit('runner-agent.service', 'ActiveEnter'),
    'booted': time.clock_gettime(time.CLOCK_BOOTTIME) - age - start,
    'listening': int(heard[0]['__MONOTONIC_TIMESTAMP']) / 1e6 - start,
}))`;

/** Steps of the boot of a machine whose runner is online. */
export async function bootTimes(fleet: LinuxFleet, id: string): Promise<BootTimes> {
  const heard = 'journalctl --unit=actions-runner --grep="Listening for Jobs" --quiet | grep --quiet .';
  await fleet.untilRuns('its listener has said so', id, heard, 60);
  return JSON.parse(await fleet.run(id, `python3 -c "$(cat <<'PROGRAM'\n${script}\nPROGRAM\n)"`)) as BootTimes;
}
