/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import * as sdk from '@aws-sdk/client-ec2';

export const Client = sdk.EC2Client;
export const commands = {
  CreateImage: sdk.CreateImageCommand,
  CreateTags: sdk.CreateTagsCommand,
  DeleteSnapshot: sdk.DeleteSnapshotCommand,
  DeregisterImage: sdk.DeregisterImageCommand,
  DescribeImages: sdk.DescribeImagesCommand,
  DescribeInstanceStatus: sdk.DescribeInstanceStatusCommand,
  DescribeInstances: sdk.DescribeInstancesCommand,
  DescribeSnapshots: sdk.DescribeSnapshotsCommand,
  DescribeTags: sdk.DescribeTagsCommand,
  DescribeVolumes: sdk.DescribeVolumesCommand,
  DescribeVolumesModifications: sdk.DescribeVolumesModificationsCommand,
  ModifyVolume: sdk.ModifyVolumeCommand,
  RunInstances: sdk.RunInstancesCommand,
  TerminateInstances: sdk.TerminateInstancesCommand,
};
