import type { Clock } from '@drover/core';
import { type HttpHandler, inProcessClientConfig, type World } from '@drover/embedded-cloud';
import { requestHandlerOver } from '@drover/embedded-cloud/aws/wire/request-handler';

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Configuration of SDK clients for a program in the world: its own network, its role's credentials, nothing to look up in files. */
export function inProcess(world: World, http: HttpHandler, clock: Clock, credentials: () => Promise<Keys | undefined>) {
  return {
    ...inProcessClientConfig(world, world.aws.iam.rootCredentials),
    credentials,
    requestHandler: requestHandlerOver(http, { clock }),
  };
}
