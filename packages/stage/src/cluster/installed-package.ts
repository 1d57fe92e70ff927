import type { MachineView } from '@drover/cloud-machines';

type Files = Pick<MachineView, 'files'>;

/** The list of packages that dpkg has installed (dpkg(1), FILES). */
const statusFile = '/var/lib/dpkg/status';
/** While a machine has this file, no package and no plugin can be fetched: its mirror is away, or its root volume is full. */
export const noPackagesFile = '/run/no-packages';

/** The version of Elasticsearch whose files are on a machine: the only package that it has. */
export const installedVersion = ({ files }: Files): string | undefined =>
  /^Version: (.+)$/m.exec(files.get(statusFile) ?? '')?.[1];

/** As the package manager replaces it, whether the old one runs or not; false when it cannot be fetched. */
export function installPackage(machine: Files, version: string): boolean {
  if (installedVersion(machine) === version) return true;
  if (machine.files.has(noPackagesFile)) return false;
  const entry = [
    'Package: elasticsearch',
    'Status: install ok installed',
    'Priority: optional',
    'Section: text',
    'Maintainer: Elasticsearch Team <info@elastic.co>',
    'Architecture: amd64',
    `Version: ${version}`,
  ];
  machine.files.set(statusFile, `${entry.join('\n')}\n`);
  return true;
}
