import type { Random } from '@drover/core';
import type { LambdaNeighbour } from '../../account/neighbours.ts';
import type { ResourceProperties, ResourceProvider, ResourceRequest, ResourceState } from '../../account/service.ts';
import { failureReason, ResourceFailure } from '../errors.ts';
import { type CustomAnswer, readAnswer } from './custom-resource-answer.ts';
import { NoAnswer, type ResponseInbox } from './response-inbox.ts';

/** Seconds (User Guide, "Custom resource request and response reference", ServiceTimeout). */
const defaultTimeout = 3600;

interface CustomResourceServices {
  readonly inbox: ResponseInbox;
  readonly lambda: Pick<LambdaNeighbour, 'invokeAsync'>;
  readonly random: Random;
}

type RequestType = 'Create' | 'Update' | 'Delete';

interface Sent {
  readonly type: RequestType;
  readonly physicalId?: string;
  readonly oldProperties?: ResourceProperties;
}

/** A resource that the template's author provides: a function is asked and must respond, or the stack waits. */
export const customResourceProvider = (services: CustomResourceServices): ResourceProvider => ({
  create: async (request) => stateOf(await ask(services, request, { type: 'Create' })),
  update: async (request) => {
    const { physicalId, previousProperties } = request;
    return stateOf(await ask(services, request, { type: 'Update', physicalId, oldProperties: previousProperties }));
  },
  delete: async (request) => {
    const { physicalId, previousProperties } = request as {
      physicalId: string;
      previousProperties: ResourceProperties;
    };
    // A deletion is never given up early: its response decides whether the resource is gone.
    const { signal: _signal, ...rest } = request;
    await ask(
      services,
      { ...rest, properties: previousProperties ?? request.properties },
      { type: 'Delete', physicalId },
    );
  },
});

const stateOf = ({ physicalId, data }: CustomAnswer): ResourceState => ({ physicalId, attributes: data });

async function ask(services: CustomResourceServices, request: ResourceRequest, sent: Sent): Promise<CustomAnswer> {
  const requestId = services.random.uuid();
  const key = `${request.stackId}|${request.logicalId}|${requestId}`;
  const fallbackId = sent.physicalId ?? request.generateName();
  try {
    deliver(services, request.properties.ServiceToken, messageOf(request, sent, requestId, services.inbox.open(key)));
    const timeoutMs = Number(request.properties.ServiceTimeout ?? defaultTimeout) * 1000;
    const expected = { requestId, stackId: request.stackId, logicalId: request.logicalId, fallbackId };
    const wait = { timeoutMs, ...(request.signal === undefined ? {} : { signal: request.signal }) };
    const firstAnswer = ([answer]: readonly string[]) =>
      answer === undefined ? undefined : readAnswer(answer, expected);
    return await services.inbox.waitFor(key, firstAnswer, wait);
  } catch (error) {
    throw asFailure(error, requestId, fallbackId);
  } finally {
    services.inbox.close(key);
  }
}

/** A function is invoked asynchronously, so a function that throws is tried again, and then there is no response. */
function deliver(services: CustomResourceServices, serviceToken: string, message: object): void {
  if (serviceToken.split(':')[2] !== 'lambda')
    throw new ResourceFailure(`the embedded cloud does not model the service token ${serviceToken}: only functions`);
  services.lambda.invokeAsync(serviceToken, message, { principal: 'cloudformation.amazonaws.com' });
}

const messageOf = (request: ResourceRequest, sent: Sent, requestId: string, responseUrl: string) => ({
  RequestType: sent.type,
  ServiceToken: request.properties.ServiceToken,
  ResponseURL: responseUrl,
  StackId: request.stackId,
  RequestId: requestId,
  LogicalResourceId: request.logicalId,
  ...(sent.physicalId === undefined ? {} : { PhysicalResourceId: sent.physicalId }),
  ResourceType: request.type,
  ResourceProperties: asText(request.properties),
  ...(sent.oldProperties === undefined ? {} : { OldResourceProperties: asText(sent.oldProperties) }),
});

/** Numbers and booleans reach the provider as text: everything in a template is text to CloudFormation. */
function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asText(each)]));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function asFailure(error: unknown, requestId: string, physicalId: string): ResourceFailure {
  if (error instanceof ResourceFailure) return error;
  if (error instanceof NoAnswer)
    return new ResourceFailure(
      `CloudFormation did not receive a response from your Custom Resource. Please check your logs for requestId [${requestId}].`,
      physicalId,
    );
  return new ResourceFailure(failureReason(error), physicalId);
}
