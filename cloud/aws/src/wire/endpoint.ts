import type { HttpRequest, KillableProcess } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { AwsError, notImplemented } from '../account/errors.ts';
import type { Violation } from '../account/limits.ts';
import { type Caller, type ServiceId, serviceIds } from '../account/service.ts';
import { type CredentialScope, credentialScope } from './credential-scope.ts';
import { operationHint, protocolFor, protocolLike } from './protocols/choose-protocol.ts';
import type { Protocol, Route, WireRequest, WireResponse } from './protocols/protocol.ts';
import { checkInput, checkOutput, ShapeMismatch } from './schema/check-shape.ts';
import { type ServiceModel, serviceModel } from './schema/service-model.ts';
import { inflate } from './transfer.ts';

/** The part of the cloud that the wire needs. */
export interface AwsPort {
  call(service: ServiceId, operation: string, input: unknown, caller: Caller): Promise<unknown>;
  /** The only region that is enabled for the account. @default every region is taken for it */
  readonly region?: string;
  newRequestId(): string;
  /** Violations of the operation's limits by an input. */
  violations(service: ServiceId, operation: string, input: unknown): readonly Violation[];
}

interface WireContext {
  /** The process that makes the call: a `kill` fault ends it. */
  readonly process?: KillableProcess;
  /** Lets an error that is no AwsError through, so that its stack is seen, in place of an InternalFailure. */
  readonly throwInternalErrors?: boolean;
  /** Gives the request its ids, for one that is to leave the chance of the world as it was. */
  readonly ids?: Random;
}

/** One handler for every AWS service and protocol. */
export type AwsEndpoint = (request: HttpRequest, context?: WireContext) => Promise<WireResponse>;

/**
 * Reads any AWS request, has it carried out and writes the response. A request that cannot be read never reaches the
 * port.
 */
export function createAwsEndpoint(port: AwsPort): AwsEndpoint {
  return async (sent, context = {}) => {
    const request: WireRequest = { ...sent, params: new URLSearchParams(sent.query) };
    const requestId = context.ids?.uuid() ?? port.newRequestId();
    let [protocol, model]: [Protocol, ServiceModel?] = [protocolLike(request)];
    try {
      const scope = scopeOf(request);
      model = serviceModel(knownService(scope, request));
      protocol = protocolFor(request, model);
      if (port.region !== undefined) requireRegion(port.region, scope, model);
      return await exchange(port, request, { protocol, model, scope, requestId, context });
    } catch (error) {
      if (!(error instanceof AwsError) && context.throwInternalErrors === true) throw error;
      return bodilessForHead(request, protocol.writeError(asAwsError(error), model, requestId));
    }
  };
}

interface Exchange {
  readonly protocol: Protocol;
  readonly model: ServiceModel;
  readonly scope: CredentialScope;
  readonly requestId: string;
  readonly context: WireContext;
}

async function exchange(port: AwsPort, request: WireRequest, exchange: Exchange): Promise<WireResponse> {
  const { protocol, model, scope, requestId, context } = exchange;
  const route = protocol.route(model.id === 's3' ? request : { ...request, ...inflate(request) }, model);
  const { operation } = route;
  if (operation.hasEventStream) throw notImplemented(model.id, `${operation.name} (event stream)`);
  const input = await readInput(route, protocol, model);
  requireLimits(port.violations(model.id, operation.name, input), protocol, model);
  const output = await port.call(model.id, operation.name, input, callerOf(scope, request, context));
  if (output !== undefined && output !== null) checkOutput(operation.output, output);
  return protocol.writeOutput(operation, output, model, requestId);
}

function callerOf({ accessKeyId, sessionToken }: CredentialScope, request: WireRequest, context: WireContext): Caller {
  const traceId = request.headers['x-amzn-trace-id'];
  return {
    credentials: { accessKeyId, ...(sessionToken === undefined ? {} : { sessionToken }) },
    ...(context.process === undefined ? {} : { process: context.process }),
    ...(context.ids === undefined ? {} : { ids: context.ids }),
    ...(traceId === undefined ? {} : { traceId }),
  };
}

function scopeOf(request: WireRequest): CredentialScope {
  const scope = credentialScope(request, request.params) ?? unsignedScope(request);
  if (scope === undefined) throw new AwsError('MissingAuthenticationToken', 'Missing Authentication Token', 403);
  return scope;
}

/** Their endpoints are in us-east-1, wherever the account is at work. */
const globalServices: readonly string[] = ['iam', 'route53', 'sts'];

/** A world is one region; the others are not enabled for its account, so their endpoints do not know the key. */
function requireRegion(
  region: string,
  { service, region: signed = region }: CredentialScope,
  model: ServiceModel,
): void {
  if (signed === region || (globalServices.includes(service) && signed === 'us-east-1')) return;
  const only = `the embedded cloud has the region ${region} only, the request is signed for ${signed}`;
  if (service === 's3') {
    const message = `The authorization header is malformed; the region '${signed}' is wrong; expecting '${region}'`;
    throw new AwsError('AuthorizationHeaderMalformed', message, 400, { Region: region });
  }
  if (service === 'ec2')
    throw new AwsError('AuthFailure', `AWS was not able to validate the provided access credentials: ${only}`, 401);
  const code = model.binding.protocols.includes('query') ? 'InvalidClientTokenId' : 'UnrecognizedClientException';
  throw new AwsError(code, `The security token included in the request is invalid: ${only}`, 403);
}

/** Two operations of STS exist to get credentials and are sent without any (STS API reference). */
function unsignedScope(request: WireRequest): CredentialScope | undefined {
  const isUnsigned = /^AssumeRoleWith(SAML|WebIdentity)$/.test(operationHint(request));
  return isUnsigned ? { accessKeyId: '', service: 'sts' } : undefined;
}

function knownService({ service }: CredentialScope, request: WireRequest): ServiceId {
  const known = serviceIds.find((id) => id === service);
  if (known === undefined) throw notImplemented(service, operationHint(request));
  return known;
}

async function readInput(route: Route, protocol: Protocol, model: ServiceModel): Promise<unknown> {
  try {
    const input = await route.readInput();
    checkInput(route.operation.input, input);
    return input;
  } catch (error) {
    if (error instanceof AwsError) throw error;
    if (error instanceof ShapeMismatch && error.kind === 'missing') throw missing(error, protocol, model);
    throw new AwsError(protocol.malformedCode, `the request cannot be read: ${messageOf(error)}`, 400);
  }
}

/** AWS's wording for an absent required member. */
function missing({ path }: ShapeMismatch, protocol: Protocol, { id, binding }: ServiceModel): AwsError {
  const code = binding.missing ?? protocol.missingCode;
  if (id === 'ec2') return new AwsError(code, `The request must contain the parameter ${path.join('.')}`, 400);
  const member = path.map((step) => step.charAt(0).toLowerCase() + step.slice(1)).join('.');
  const message = `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`;
  return new AwsError(code, message, 400);
}

/** Refuses values beyond a documented limit, all of them at once, in AWS's wording. */
function requireLimits(found: readonly Violation[], protocol: Protocol, { id, binding }: ServiceModel): void {
  const [first] = found;
  if (first === undefined) return;
  const code = binding.invalid ?? binding.missing ?? protocol.missingCode;
  if (id === 's3' && first.path === 'storageClass')
    throw new AwsError('InvalidStorageClass', 'The storage class you specified is not valid', 400);
  if (id === 'ec2' && first.value === null)
    throw new AwsError(protocol.missingCode, `The request must contain the parameter ${first.path}`, 400);
  if (id === 'ec2')
    throw new AwsError(
      code,
      `Value (${String(first.value)}) for parameter ${first.path} is invalid. ${first.constraint}`,
    );
  const each = found.map(
    ({ path, value, constraint }) =>
      `Value ${value === null ? 'null' : `'${shown(value)}'`} at '${path}' failed to satisfy constraint: ${constraint}`,
  );
  throw new AwsError(
    code,
    `${each.length} validation error${each.length === 1 ? '' : 's'} detected: ${each.join('; ')}`,
  );
}

const shown = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 1_000);

function asAwsError(error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  return new AwsError('InternalFailure', `the embedded cloud failed: ${messageOf(error)}`, 500);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const bodilessForHead = (request: WireRequest, response: WireResponse): WireResponse =>
  request.method === 'HEAD' ? { ...response, body: '' } : response;
