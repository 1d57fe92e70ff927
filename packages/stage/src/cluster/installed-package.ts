import type { MachineView } from '@drover/cloud-machines';

type Files = Pick<MachineView, 'files'>;

/** The list of packages that dpkg has installed (dpkg(1), FILES). */
const statusFile = '/var/lib/dpkg/status';
/** While a machine has this file, no package and no plugin can be fetched: its mirror is away, or its root volume is full. */
export const noPackagesFile = '/run/no-packages';

/** The version of Elasticsearch whose files are on a machine: the only package that it has. */
export const installedVersion = ({ files }: Files): string | undefined =>
  /^Version: (.+)$/m.exec(files.get(statusFile) ?? '')?.[1];

const archiveOf = (version: string) => `/var/cache/apt/archives/elasticsearch_${version}_amd64.deb`;

/** `bin/fetch-elasticsearch`: package and plugins are there before they are needed; returns why not in apt's words. */
export function fetchPackage({ files }: Files, version: string, published: boolean): string | undefined {
  if (files.has(noPackagesFile)) return 'E: Failed to fetch the repository: Could not connect to the mirror';
  if (!published) return `E: Version '${version}' for 'elasticsearch' was not found`;
  files.set(archiveOf(version), '');
  return undefined;
}

/** As the package manager replaces it, whether the old one runs or not; false when it cannot be fetched. */
export function installPackage(machine: Files, version: string): boolean {
  if (installedVersion(machine) === version) return true;
  if (machine.files.has(noPackagesFile) && !machine.files.has(archiveOf(version))) return false;
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
