/** Stands for `@aws-sdk/client-ssm` in the functions' bundles. */
import { client, command } from './client.ts';
import { jsonProtocol } from './protocols.ts';

export const SSMClient = client({ name: 'ssm', protocol: jsonProtocol('AmazonSSM', '1.1') });
export const SendCommandCommand = command('SendCommand');
export const ListCommandInvocationsCommand = command('ListCommandInvocations');
