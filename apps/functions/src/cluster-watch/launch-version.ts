import { type AwsCalls, stateObjects, upgradeIntents } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { isOlder, type UpgradeIntents } from '@drover/search-cluster';
import { type CustomResourceEvent, property } from '../custom-resource.ts';

const versionProperty = 'ElasticsearchVersion';

/**
 * Behind `Custom::LaunchVersion`: the version in the user data of the nodes. Once the cluster has formed it stays as it was: only
 * `drover cluster upgrade` brings another version, and nodes that are launched later find out themselves which one their cluster has.
 */
export async function launchVersion(
  aws: Pick<AwsCalls, 's3'>,
  bucket: string,
  event: CustomResourceEvent,
  isRollingBack: () => Promise<boolean>,
): Promise<string> {
  if (event.RequestType === 'Delete') return event.PhysicalResourceId!;
  const wanted = property(event, versionProperty);
  const before = event.OldResourceProperties?.[versionProperty];
  if (typeof before === 'string' && isOlder(wanted, before) && !(await isRollingBack()))
    throw new TerminalError(
      `elasticsearch_version ${wanted} is older than ${before}, which this cluster was deployed with: no node can be downgraded`,
    );
  if (event.RequestType === 'Update' && (await stateObjects(aws, bucket).read('formed')) !== undefined)
    return event.PhysicalResourceId!;
  return await launchedAs(upgradeIntents(aws, bucket), wanted);
}

/** Of a cluster whose release had no such resource: back over the upgrades in place to the version that nodes were last launched with. */
async function launchedAs(intents: UpgradeIntents, version: string): Promise<string> {
  const intent = await intents.read(version);
  return intent !== undefined && isOlder(intent.from, version) ? await launchedAs(intents, intent.from) : version;
}
