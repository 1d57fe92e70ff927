/** Stands for `@aws-sdk/client-cloudwatch` in the functions' bundles. */
import { client, command } from './client.ts';
import { jsonProtocol } from './protocols.ts';

export const CloudWatchClient = client({
  name: 'monitoring',
  protocol: jsonProtocol('GraniteServiceVersion20100801', '1.0'),
});
export const PutMetricDataCommand = command('PutMetricData');
