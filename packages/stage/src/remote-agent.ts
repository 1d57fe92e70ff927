import type { MachineView } from '@drover/cloud-machines';
import { noPackagesFile } from './cluster/installed-package.ts';

/** The address of AWS's package ("Manually install SSM Agent on Debian Server instances"). */
const address =
  /^https:\/\/s3\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/amazon-ssm-\1\/latest\/debian_(amd64|arm64)\/amazon-ssm-agent\.deb$/;

/** Handles the fact `remote_agent` as `bin/configure` does: a failure is only logged. */
export function installRemoteAgent(machine: MachineView, url: string | undefined): void {
  if (url !== undefined && address.test(url) && !machine.files.has(noPackagesFile)) machine.installRemoteAgent();
}
