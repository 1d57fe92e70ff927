/** Everything of this SDK package that is used; a bundle that splits has it in a chunk of its own. */
import { CloudWatchClient, PutMetricDataCommand as PutMetricData } from '@aws-sdk/client-cloudwatch';

export { CloudWatchClient as Client };
export const commands = { PutMetricData };
