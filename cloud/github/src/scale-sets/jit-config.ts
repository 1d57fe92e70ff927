import { knownKey } from '../actions-service/runner-keys.ts';
import type { RunnerRecord } from '../model.ts';

/**
 * A just-in-time configuration: base64 of JSON, file name to base64 of its content (actions/runner, Runner.cs). The service writes names
 * in capitals and values as text, which .NET reads like those of `config.sh`. About 4.2 kB in all.
 */
export function jitConfig(
  runner: RunnerRecord,
  options: {
    /** Of the services that runners ask; ends in `/`. */
    readonly actionsUrl: string;
    readonly serviceUrl: string;
    readonly gitHubUrl: string;
    readonly workFolder: string;
    readonly disableUpdate: boolean;
  },
): string {
  const { actionsUrl, serviceUrl, gitHubUrl, workFolder, disableUpdate } = options;
  const files = {
    '.runner': {
      AgentId: String(runner.id),
      AgentName: runner.name,
      DisableUpdate: disableUpdate ? 'True' : 'False',
      Ephemeral: 'True',
      GitHubUrl: gitHubUrl,
      PoolId: String(runner.groupId),
      PoolName: 'Default',
      ServerUrl: serviceUrl,
      ServerUrlV2: `${actionsUrl}broker/`,
      UseV2Flow: 'True',
      WorkFolder: workFolder,
    },
    '.credentials': {
      Scheme: 'OAuth',
      Data: {
        ClientId: runner.clientId,
        AuthorizationUrl: `${actionsUrl}oauth2/token/${runner.clientId}`,
        RequireFipsCryptography: 'True',
      },
    },
    '.credentials_rsaparams': knownKey(),
  };
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const encoded = Object.entries(files).map(([name, content]) => [name, encode(JSON.stringify(content))]);
  return encode(JSON.stringify(Object.fromEntries(encoded)));
}
