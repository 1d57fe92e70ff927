import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { passwordIn } from '@drover/search-cluster';
import type { DroverIo } from '../io.ts';
import { outputNamed, readOutputs } from './read-outputs.ts';

/** `drover output NAME`: an output of a stack by either name; `kibana_system_password` is fetched from its secret. */
export async function output(io: DroverIo, name: string, options: { stack: string }): Promise<number> {
  const aws = await io.aws();
  const outputs = await readOutputs(aws.cloudformation, options.stack);
  if (name !== 'kibana_system_password') {
    io.stdout(`${outputNamed(outputs, options.stack, name)}\n`);
    return 0;
  }
  const SecretId = outputNamed(outputs, options.stack, 'kibana_system_secret_id');
  const { SecretString = '' } = await aws.secrets.send(new GetSecretValueCommand({ SecretId }));
  io.stdout(`${passwordIn(SecretString)}\n`);
  return 0;
}
