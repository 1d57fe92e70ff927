import type { Random } from '@drover/core';
import type { RunnerRecord } from '../model.ts';

/**
 * A just-in-time configuration: base64 of JSON, file name to base64 of its content (actions/runner, Runner.cs). The service writes names
 * in capitals and values as text, which .NET reads like those of `config.sh`. The key is chance of the right size, about 4.2 kB in all.
 */
export function jitConfig(
  runner: RunnerRecord,
  options: {
    readonly random: Random;
    readonly serviceUrl: string;
    readonly brokerUrl: string;
    readonly gitHubUrl: string;
    readonly workFolder: string;
    readonly disableUpdate: boolean;
  },
): string {
  const { random, serviceUrl, brokerUrl, gitHubUrl, workFolder, disableUpdate } = options;
  const number = (bytes: number) => Buffer.from(random.hex(2 * bytes), 'hex').toString('base64');
  const files = {
    '.runner': {
      AgentId: String(runner.id),
      AgentName: runner.name,
      DisableUpdate: disableUpdate ? 'True' : 'False',
      Ephemeral: 'True',
      GitHubUrl: gitHubUrl,
      PoolId: String(runner.groupId),
      ServerUrl: serviceUrl,
      ServerUrlV2: brokerUrl,
      UseV2Flow: 'True',
      WorkFolder: workFolder,
    },
    '.credentials': {
      Scheme: 'OAuth',
      Data: {
        ClientId: runner.clientId,
        AuthorizationUrl: `${serviceUrl}_apis/oauth2/token/${runner.clientId}`,
        RequireFipsCryptography: 'True',
      },
    },
    '.credentials_rsaparams': {
      d: number(256),
      dp: number(128),
      dq: number(128),
      exponent: 'AQAB',
      inverseQ: number(128),
      modulus: number(256),
      p: number(128),
      q: number(128),
    },
  };
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const encoded = Object.entries(files).map(([name, content]) => [name, encode(JSON.stringify(content))]);
  return encode(JSON.stringify(Object.fromEntries(encoded)));
}
