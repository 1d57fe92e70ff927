import { requireConstruct } from './configured-construct.ts';

/** Checks the files that `--fleet` and `--cluster` name, with the words of the constructs, before CDK and the cloud are loaded. */
export async function checkOwnFiles(files: {
  readonly fleet?: string | undefined;
  readonly cluster?: string | undefined;
}): Promise<void> {
  if (files.fleet !== undefined) {
    requireConstruct(files.fleet, 'runner-fleet');
    (await import('@drover/constructs/runner-fleet/inputs')).runnerFleetInputs.read(files.fleet);
  }
  if (files.cluster !== undefined) {
    requireConstruct(files.cluster, 'search-cluster');
    (await import('@drover/constructs/search-cluster/inputs')).searchClusterInputs.read(files.cluster);
  }
}
