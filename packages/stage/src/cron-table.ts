import type { MachineView } from '@drover/cloud-machines';

/** Installs a table of cron as crontab(5) describes it, as far as ours use it: variables, and commands of root every few minutes. */
export function installCronTable(machine: MachineView, path: string, content: string): void {
  const env: Record<string, string> = { HOME: '/root', LOGNAME: 'root', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' };
  for (const [index, line] of content.split('\n').entries()) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const [, every, command] = /^\*\/(\d+) \* \* \* \* root (.+)$/.exec(line) ?? [];
    if (name !== undefined) env[name] = value.replace(/^"(.*)"$/, '$1');
    else if (command !== undefined) machine.addCron(`${path}:${index}`, Number(every) * 60_000, command, { ...env });
    else if (/^[*\d]/.test(line)) throw new Error(`cron line not modelled: ${line}`);
  }
}
