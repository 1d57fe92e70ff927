import { imageTags } from '@drover/core/names/runner-fleet';
import type { FleetStage } from '@drover/stage/testing';

const minute = 60_000;

/** The images of the fleet `runners`, as the account has them. */
interface Images {
  /** The image of new instances. */
  readonly current: string;
  readonly images: readonly string[];
  readonly snapshots: number;
  /** Those of bakes that are not terminated. */
  readonly instances: number;
}

interface Answer {
  readonly Images?: readonly { readonly ImageId: string }[];
  readonly Snapshots?: readonly object[];
  readonly Parameter?: { readonly Value: string };
}

/** Instances of bakes that are not terminated. */
export const bakingInstances = ({ fleet }: FleetStage) =>
  fleet.world.observe.instances().filter(({ tags: all, state }) => imageTags.imageOf in all && state !== 'terminated');

export async function readImages(stage: FleetStage): Promise<Images> {
  const { aws, rootCredentials: credentials } = stage.fleet.world;
  const ask = (service: 'ec2' | 'ssm', operation: string, input: object) =>
    stage.fleet.drive(aws.call(service, operation, input, { credentials }), minute) as Promise<Answer>;
  const { Images = [] } = await ask('ec2', 'DescribeImages', { Owners: ['self'] });
  const { Snapshots = [] } = await ask('ec2', 'DescribeSnapshots', { OwnerIds: ['self'] });
  const { Parameter } = await ask('ssm', 'GetParameter', { Name: '/drover/runners/image' });
  return {
    current: Parameter?.Value ?? '',
    images: Images.map(({ ImageId }) => ImageId),
    snapshots: Snapshots.length,
    instances: bakingInstances(stage).length,
  };
}
