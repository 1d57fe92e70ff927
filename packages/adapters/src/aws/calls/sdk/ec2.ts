/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import {
  CreateTagsCommand as CreateTags,
  DescribeInstancesCommand as DescribeInstances,
  DescribeTagsCommand as DescribeTags,
  EC2Client,
} from '@aws-sdk/client-ec2';

export { EC2Client as Client };
export const commands = { CreateTags, DescribeInstances, DescribeTags };
