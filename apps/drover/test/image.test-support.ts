import {
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSnapshotsCommand,
  type Instance,
} from '@aws-sdk/client-ec2';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { imageTags } from '@drover/core/names/runner-fleet';
import type { FleetStage } from '@drover/stage/testing';

const drive = <T>({ fleet }: FleetStage, work: Promise<T>): Promise<T> => fleet.drive(work, 60_000);

/** The image of new instances. */
export const parameter = async (stage: FleetStage) =>
  (await drive(stage, stage.aws.ssm.send(new GetParameterCommand({ Name: '/drover/runners/image' })))).Parameter?.Value;

export const images = async (stage: FleetStage) =>
  (await drive(stage, stage.aws.ec2.send(new DescribeImagesCommand({ Owners: ['self'] })))).Images ?? [];

export const snapshots = async (stage: FleetStage) =>
  (await drive(stage, stage.aws.ec2.send(new DescribeSnapshotsCommand({ OwnerIds: ['self'] })))).Snapshots ?? [];

export const instances = async (stage: FleetStage): Promise<Instance[]> =>
  ((await drive(stage, stage.aws.ec2.send(new DescribeInstancesCommand({})))).Reservations ?? []).flatMap(
    (each) => each.Instances ?? [],
  );

/** Instances of bakes that are not gone. */
export const left = async (stage: FleetStage) =>
  (await instances(stage)).filter(
    ({ Tags = [], State }) =>
      Tags.some(({ Key }) => Key === imageTags.imageOf) &&
      State?.Name !== 'terminated' &&
      State?.Name !== 'shutting-down',
  );
