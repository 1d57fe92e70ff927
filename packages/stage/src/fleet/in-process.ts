import { inProcessClientConfig, requestHandlerOver } from '@drover/cloud-aws';
import type { HttpHandler } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';

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
