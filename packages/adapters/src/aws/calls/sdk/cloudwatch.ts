/** Everything of this SDK package that we use; one chunk of its own in the bundle. */
export { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
