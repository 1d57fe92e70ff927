import { errorShape } from '../schema/error-shape.ts';
import { JsonCodec2 } from '../schema/sdk-schemas.ts';
import { plainBytes, plainJson } from './json-protocol.ts';
import type { Protocol } from './protocol.ts';
import { readRestInput } from './rest-input.ts';
import { type DocumentWriter, writeHeader, writeRestOutput } from './rest-output.ts';
import { requireRoute } from './rest-route.ts';

const codec = new JsonCodec2({ timestampFormat: { useTrait: true, default: 7 }, jsonName: true });
const [serializer, deserializer] = [codec.createSerializer(), codec.createDeserializer()];

const writer: DocumentWriter = {
  contentType: 'application/json',
  write: (schema, value) => {
    serializer.write(schema, value);
    return plainBytes(serializer.flush());
  },
};

/** REST with JSON documents (Smithy specification, "AWS restJson1 protocol"). */
export const restJsonProtocol: Protocol = {
  route: (request, model) => {
    const match = requireRoute(request, model);
    const readDocument = (schema: Parameters<typeof deserializer.read>[0], body: Uint8Array) =>
      deserializer.read(schema, Buffer.from(body).toString());
    return { operation: match.operation, readInput: () => readRestInput({ request, match, readDocument }) };
  },
  writeOutput: (operation, output, _model, requestId) => {
    const response = writeRestOutput(operation, (output ?? {}) as Record<string, unknown>, writer);
    return { ...response, headers: { ...response.headers, 'x-amzn-requestid': requestId } };
  },
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-amzn-errortype': shape.name,
      'x-amzn-requestid': requestId,
    };
    const body: Record<string, unknown> = { Type: shape.fault === 'Sender' ? 'User' : 'Service' };
    for (const [name, schema, value] of shape.members) {
      writeHeader(headers, schema, value);
      if (schema.getMergedTraits().httpHeader === undefined) body[name] = plainJson(schema, value);
    }
    return { status: shape.status, headers, body: JSON.stringify({ ...body, [shape.messageMember]: error.message }) };
  },
  malformedCode: 'SerializationException',
  missingCode: 'ValidationException',
};
