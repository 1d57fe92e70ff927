import {
  type Engine,
  type HttpHandler,
  type KillableProcess,
  type Network,
  type Origin,
  type Served,
  type ServeOptions,
  serve,
} from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { violations } from '../account/limits.ts';
import type { AwsNeighbours } from '../account/neighbours.ts';
import { type AwsEndpoint, type AwsPort, createAwsEndpoint } from './endpoint.ts';
import { remember } from './remember.ts';
import { requestHandlerOver, type SdkRequestHandler } from './request-handler.ts';

/** A world, or its AWS alone. */
export type AwsOrWorld = WireAws | { readonly aws: WireAws; readonly network?: Network };
type WireAws = Pick<AwsNeighbours, 'call' | 'region'> & {
  readonly engine: Pick<Engine, 'clock' | 'random'>;
  /** Takes inputs beyond the documented limits, for tests of shapes alone. @default false */
  readonly unlimited?: boolean;
};

export interface InProcessOptions {
  /** The process that makes the calls: a `kill` fault ends it. */
  readonly process?: KillableProcess;
  /** Goes through the world's network from here, whose barriers then apply. @default straight to AWS */
  readonly origin?: Origin;
  /** On the world's clock. @default never */
  readonly requestTimeoutMs?: number;
}

export const awsOf = (aws: AwsOrWorld): WireAws => ('aws' in aws ? aws.aws : aws);

const endpoints = new WeakMap<object, AwsEndpoint>();

/** The AWS endpoint of a world: one handler for every service and protocol. */
export function awsEndpoint(awsOrWorld: AwsOrWorld): AwsEndpoint {
  const aws = awsOf(awsOrWorld);
  return remember(endpoints, aws, () => createAwsEndpoint(portOf(aws)));
}

const requestIds = new WeakMap<object, Random>();

/** The id of the next request over the wire: also for a call that skips it and is to leave the same state. */
export function drawRequestId(awsOrWorld: AwsOrWorld): string {
  const aws = awsOf(awsOrWorld);
  return remember(requestIds, aws, () => aws.engine.random.fork('aws.wire')).uuid();
}

function portOf(aws: WireAws): AwsPort {
  return {
    call: (service, operation, input, caller) => aws.call(service, operation, input, caller),
    region: aws.region,
    newRequestId: () => drawRequestId(aws),
    violations: aws.unlimited === true ? () => [] : violations,
  };
}

/** A `requestHandler` for any SDK v3 client: its calls reach this world without a socket. */
export function createRequestHandler(awsOrWorld: AwsOrWorld, options: InProcessOptions = {}): SdkRequestHandler {
  const { clock } = awsOf(awsOrWorld).engine;
  const timeout = options.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: options.requestTimeoutMs };
  return requestHandlerOver(handlerFor(awsOrWorld, options), { clock, ...timeout });
}

function handlerFor(awsOrWorld: AwsOrWorld, { process, origin }: InProcessOptions): HttpHandler {
  if (origin !== undefined) {
    const network = 'aws' in awsOrWorld ? awsOrWorld.network : undefined;
    if (network === undefined) throw new Error('an origin needs a world with a network');
    return network.from(process === undefined ? origin : { ...origin, process });
  }
  const endpoint = awsEndpoint(awsOrWorld);
  const context = { throwInternalErrors: true, ...(process === undefined ? {} : { process }) };
  return (request) => endpoint(request, context);
}

/** Puts AWS on the world's network, so that bundles which make https requests reach it. */
export function joinNetwork(network: Network, aws: AwsOrWorld): void {
  network.register(/(^|\.)amazonaws\.com$/, (request, origin) => {
    return awsEndpoint(aws)(request, origin.process === undefined ? {} : { process: origin.process });
  });
}

/** Serves AWS over HTTP on loopback: for any AWS CLI or SDK with `AWS_ENDPOINT_URL`. */
export function serveAws(awsOrWorld: AwsOrWorld, options: ServeOptions = {}): Promise<Served> {
  const endpoint = awsEndpoint(awsOrWorld);
  return serve((request) => endpoint(request), options);
}
