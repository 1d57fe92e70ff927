/** Everything of this SDK package that we use; one chunk of its own in the bundle. */
export { CreateTagsCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
