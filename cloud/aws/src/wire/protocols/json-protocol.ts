import { AwsError } from '../../account/errors.ts';
import { errorShape } from '../schema/error-shape.ts';
import { JsonCodec2 } from '../schema/sdk-schemas.ts';
import type { OperationModel, ServiceModel } from '../schema/service-model.ts';
import type { Protocol, WireRequest } from './protocol.ts';

// 7 is seconds since the epoch.
const codec = new JsonCodec2({ timestampFormat: { useTrait: true, default: 7 }, jsonName: false });
const [serializer, deserializer] = [codec.createSerializer(), codec.createDeserializer()];

/** AWS JSON 1.0 and 1.1 (Smithy specification, "AWS JSON 1.1 protocol"). */
export const jsonProtocol: Protocol = {
  route: (request, model) => {
    const operation = namedOperation(request, model);
    return { operation, readInput: () => readJson(operation, request) };
  },
  writeOutput: (operation, output, model, requestId) => ({
    status: 200,
    headers: headers(model, requestId),
    body: operation.output.isUnitSchema() ? '' : writeJson(operation, output ?? {}),
  }),
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const compatible = model?.binding.queryCompatible === true;
    const others = shape.members.map(([name, schema, value]) => [name, plainJson(schema, value)]);
    const type = compatible ? shape.qualifiedName : shape.name;
    return {
      status: shape.status,
      headers: {
        ...headers(model, requestId),
        ...(compatible ? { 'x-amzn-query-error': `${shape.queryCode};${shape.fault}` } : {}),
      },
      body: JSON.stringify({ __type: type, [shape.messageMember]: error.message, ...Object.fromEntries(others) }),
    };
  },
  malformedCode: 'SerializationException',
  missingCode: 'ValidationException',
};

function namedOperation(request: WireRequest, model: ServiceModel): OperationModel {
  const [target, name] = (request.headers['x-amz-target'] ?? '').split('.');
  const isJson = request.headers['content-type']?.startsWith('application/x-amz-json-1.') === true;
  const operation = isJson && target === model.binding.target ? model.operations.get(name ?? '') : undefined;
  if (operation === undefined)
    throw new AwsError('UnknownOperationException', `${model.id} has no operation ${name || '(none named)'}`, 400);
  return operation;
}

async function readJson(operation: OperationModel, request: WireRequest): Promise<unknown> {
  if (operation.input.isUnitSchema() || request.body.length === 0) return {};
  return await deserializer.read(operation.input, Buffer.from(request.body).toString());
}

function writeJson(operation: OperationModel, output: unknown): Uint8Array {
  serializer.write(operation.output, output);
  return plainBytes(serializer.flush());
}

/** The serialiser's byte array is of a class that pretends to be a string; clients and sockets want bytes. */
export const plainBytes = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function plainJson(schema: OperationModel['output'], value: unknown): unknown {
  serializer.write(schema, value);
  const written: unknown = serializer.flush();
  return written instanceof Uint8Array && !schema.isBlobSchema() ? JSON.parse(Buffer.from(written).toString()) : value;
}

const headers = (model: ServiceModel | undefined, requestId: string) => ({
  'content-type': `application/x-amz-json-${model?.binding.jsonVersion ?? '1.1'}`,
  'x-amzn-requestid': requestId,
});
