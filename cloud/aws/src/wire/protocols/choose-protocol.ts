import type { ProtocolName } from '../schema/bindings.ts';
import type { ServiceModel } from '../schema/service-model.ts';
import { cborProtocol } from './cbor-protocol.ts';
import { jsonProtocol } from './json-protocol.ts';
import type { Protocol, WireRequest } from './protocol.ts';
import { ec2Protocol, queryProtocol } from './query-protocol.ts';
import { restJsonProtocol } from './rest-json-protocol.ts';
import { restXmlProtocol } from './rest-xml-protocol.ts';
import { s3Protocol } from './s3-protocol.ts';

const protocols: Readonly<Record<ProtocolName, Protocol>> = {
  query: queryProtocol,
  ec2: ec2Protocol,
  json: jsonProtocol,
  cbor: cborProtocol,
  'rest-json': restJsonProtocol,
  'rest-xml': restXmlProtocol,
};

/** The protocol that a request to a known service is in; the service's first one when it is in none of its protocols. */
export function protocolFor(request: WireRequest, model: ServiceModel): Protocol {
  if (model.id === 's3') return s3Protocol;
  const spoken = model.binding.protocols;
  const name =
    spoken.length === 1 ? spoken[0]! : (spoken.find((candidate) => candidate === guess(request)) ?? spoken[0]!);
  return protocols[name];
}

/** The protocol that a request looks like, for responses to requests whose service is not known. */
export const protocolLike = (request: WireRequest): Protocol => {
  const name = guess(request);
  return name === 'rest-xml' ? s3Protocol : protocols[name];
};

function guess(request: WireRequest): ProtocolName {
  if (request.headers['smithy-protocol'] === 'rpc-v2-cbor') return 'cbor';
  const contentType = request.headers['content-type'] ?? '';
  if (request.headers['x-amz-target'] !== undefined || contentType.startsWith('application/x-amz-json')) return 'json';
  if (contentType.startsWith('application/x-www-form-urlencoded') || request.params.has('Action')) return 'query';
  return contentType.startsWith('application/json') ? 'rest-json' : 'rest-xml';
}

/** The operation of a request to an unknown service, as far as it can be known. */
export function operationHint(request: WireRequest): string {
  const action =
    request.params.get('Action') ?? new URLSearchParams(Buffer.from(request.body).toString()).get('Action');
  const target = request.headers['x-amz-target']?.split('.').at(-1);
  return target ?? (guess(request) === 'query' && action ? action : `${request.method} ${request.path}`);
}
