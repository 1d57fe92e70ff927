import { AwsError } from '../../account/errors.ts';
import { errorShape } from '../schema/error-shape.ts';
import { CborCodec, NormalizedSchema } from '../schema/sdk-schemas.ts';
import type { OperationModel, ServiceModel } from '../schema/service-model.ts';
import type { Protocol, WireRequest } from './protocol.ts';

const codec = new CborCodec();
const [serializer, deserializer] = [codec.createSerializer(), codec.createDeserializer()];
const document = NormalizedSchema.of(15);

/** Smithy RPC v2 CBOR (Smithy specification, "Smithy RPC v2 CBOR protocol"), which newer CloudWatch clients speak. */
export const cborProtocol: Protocol = {
  route: (request, model) => {
    const operation = namedOperation(request, model);
    return { operation, readInput: () => readCbor(operation, request) };
  },
  writeOutput: (operation, output, _model, requestId) => ({
    status: 200,
    headers: headers(requestId),
    body: operation.output.isUnitSchema() ? '' : write(operation.output, output ?? {}),
  }),
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const others = Object.fromEntries(shape.members.map(([name, , value]) => [name, value]));
    const body = write(document, { __type: shape.qualifiedName, [shape.messageMember]: error.message, ...others });
    const compatible = model?.binding.queryCompatible === true;
    const queryError: Record<string, string> = compatible
      ? { 'x-amzn-query-error': `${shape.queryCode};${shape.fault}` }
      : {};
    return { status: shape.status, headers: { ...headers(requestId), ...queryError }, body };
  },
  malformedCode: 'SerializationException',
  missingCode: 'ValidationException',
};

function namedOperation(request: WireRequest, model: ServiceModel): OperationModel {
  const [, service, name] = /\/service\/([^/]+)\/operation\/([^/]+)$/.exec(request.path) ?? [];
  const operation = service === model.binding.target ? model.operations.get(name ?? '') : undefined;
  if (operation === undefined)
    throw new AwsError('UnknownOperationException', `${model.id} has no operation ${name || '(none named)'}`, 404);
  return operation;
}

async function readCbor(operation: OperationModel, request: WireRequest): Promise<unknown> {
  if (operation.input.isUnitSchema() || request.body.length === 0) return {};
  return await deserializer.read(operation.input, request.body);
}

function write(schema: NormalizedSchema, value: unknown): Uint8Array {
  serializer.write(schema, value);
  return serializer.flush();
}

const headers = (requestId: string) => ({
  'content-type': 'application/cbor',
  'smithy-protocol': 'rpc-v2-cbor',
  'x-amzn-requestid': requestId,
});
