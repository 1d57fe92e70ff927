import { errorShape } from '../schema/error-shape.ts';
import type { ServiceModel } from '../schema/service-model.ts';
import type { Protocol, WireResponse } from './protocol.ts';
import { readRestInput } from './rest-input.ts';
import { type DocumentWriter, writeHeader, writeRestOutput } from './rest-output.ts';
import { requireRoute } from './rest-route.ts';
import { escapeXml, readXml, writeXml, xmlMembers } from './xml.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

export const xmlWriter = (model: ServiceModel): DocumentWriter => ({
  contentType: 'application/xml',
  write: (schema, value) => declaration + writeXml(schema, value, model.binding.xmlNamespace),
});

/** REST with XML documents (Smithy specification, "AWS restXml protocol"). */
export const restXmlProtocol: Protocol = {
  route: (request, model) => {
    const match = requireRoute(request, model);
    return { operation: match.operation, readInput: () => readRestInput({ request, match, readDocument: readXml }) };
  },
  writeOutput: (operation, output, model, requestId) =>
    withId(writeRestOutput(operation, (output ?? {}) as Record<string, unknown>, xmlWriter(model)), requestId),
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const headers: Record<string, string> = { 'content-type': 'text/xml', 'x-amzn-requestid': requestId };
    for (const [, schema, value] of shape.members) writeHeader(headers, schema, value);
    const attribute = model?.binding.xmlNamespace === undefined ? '' : ` xmlns="${model.binding.xmlNamespace}"`;
    const message = `<Message>${escapeXml(error.message)}</Message>`;
    const inner = `<Type>${shape.fault}</Type><Code>${escapeXml(shape.name)}</Code>${message}${xmlMembers(shape)}`;
    const outer = `<Error>${inner}</Error><RequestId>${requestId}</RequestId>`;
    return { status: shape.status, headers, body: `${declaration}<ErrorResponse${attribute}>${outer}</ErrorResponse>` };
  },
  malformedCode: 'InvalidInput',
  missingCode: 'InvalidInput',
};

const withId = (response: WireResponse, requestId: string): WireResponse => ({
  ...response,
  headers: { ...response.headers, 'x-amzn-requestid': requestId },
});
