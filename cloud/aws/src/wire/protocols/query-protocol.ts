import type { HttpRequest } from '@drover/cloud-engine';
import { AwsError } from '../../account/errors.ts';
import { remember } from '../remember.ts';
import { type ErrorShape, errorShape } from '../schema/error-shape.ts';
import { NormalizedSchema, type StaticStructureSchema } from '../schema/sdk-schemas.ts';
import type { OperationModel, ServiceModel } from '../schema/service-model.ts';
import { type FormNode, readForm } from './form.ts';
import { couldNotFind, type Protocol, type WireRequest, type WireResponse } from './protocol.ts';
import { awsQuery, ec2Query, type QueryDialect, readStructure } from './query-input.ts';
import { escapeXml, writeXml, xmlMembers } from './xml.ts';

/** AWS Query: a form in, XML out (Smithy specification, "AWS Query protocol"). */
export const queryProtocol: Protocol = {
  route: (request, model) => route(request, model, awsQuery),
  writeOutput: (operation, output, model, requestId) =>
    xml(
      writeXml(queryEnvelope(operation), envelope(operation, output, requestId), model.binding.xmlNamespace),
      requestId,
    ),
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const inner = `<Type>${shape.fault}</Type>${codeAndMessage(shape, error)}`;
    const attribute = model?.binding.xmlNamespace === undefined ? '' : ` xmlns="${model.binding.xmlNamespace}"`;
    const body = `<ErrorResponse${attribute}><Error>${inner}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
    return xml(body, requestId, shape.status);
  },
  malformedCode: 'MalformedInput',
  missingCode: 'ValidationError',
};

/** EC2's own dialect of Query: no result element, other list and error forms (Smithy specification, "AWS EC2 query protocol"). */
export const ec2Protocol: Protocol = {
  route: (request, model) => route(request, model, ec2Query),
  writeOutput: (operation, output, model, requestId) => {
    const value = { ...(output as object | undefined), requestId };
    return xml(declaration + writeXml(ec2Envelope(operation), value, model.binding.xmlNamespace), requestId);
  },
  writeError: (error, model, requestId) => {
    const shape = errorShape(error, model);
    const inner = `<Errors><Error>${codeAndMessage(shape, error)}</Error></Errors>`;
    const body = `${declaration}<Response>${inner}<RequestID>${requestId}</RequestID></Response>`;
    return xml(body, requestId, shape.status);
  },
  malformedCode: 'InvalidParameterValue',
  missingCode: 'MissingParameter',
};

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

function route(request: WireRequest, model: ServiceModel, dialect: QueryDialect) {
  const form = readForm(request.method === 'GET' ? request.query : formText(request));
  const operation = namedOperation(form, model);
  return { operation, readInput: () => readStructure(operation.input, form, dialect) };
}

function formText(request: HttpRequest): string {
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') !== true)
    throw new AwsError('InvalidAction', 'the body is not application/x-www-form-urlencoded', 400);
  return Buffer.from(request.body).toString();
}

function namedOperation(form: FormNode, model: ServiceModel): OperationModel {
  const action = form.children.get('Action')?.value;
  const version = form.children.get('Version')?.value ?? model.binding.apiVersion;
  if (!action) throw new AwsError('MissingAction', 'The request is missing an action or a required parameter.', 400);
  const operation = version === model.binding.apiVersion ? model.operations.get(action) : undefined;
  if (operation === undefined) throw new AwsError('InvalidAction', couldNotFind(action, version), 400);
  return operation;
}

const metadataSchema: StaticStructureSchema = [3, 'wire', 'ResponseMetadata', 0, ['RequestId'], [0]];
const envelopes = new WeakMap<OperationModel, NormalizedSchema>();

/** `XResponse { XResult, ResponseMetadata }` as a schema, so that the SDK's own serialiser writes it. */
function queryEnvelope(operation: OperationModel): NormalizedSchema {
  const hasResult = !operation.output.isUnitSchema();
  return cached(operation, () => [
    ...(hasResult ? [[`${operation.name}Result`, operation.output.getSchema()] as const] : []),
    ['ResponseMetadata', metadataSchema] as const,
  ]);
}

const envelope = (operation: OperationModel, output: unknown, requestId: string) => ({
  [`${operation.name}Result`]: output ?? {},
  ResponseMetadata: { RequestId: requestId },
});

/** `XResponse { requestId, …members of the output }`. */
function ec2Envelope(operation: OperationModel): NormalizedSchema {
  return cached(operation, () => {
    const raw = operation.output.getSchema();
    const [names, refs] = Array.isArray(raw) ? [raw[4] as string[], raw[5] as unknown[]] : [[], []];
    return [['requestId', 0] as const, ...names.map((name, i) => [name, refs[i]] as const)];
  });
}

function cached(
  operation: OperationModel,
  build: () => readonly (readonly [name: string, ref: unknown])[],
): NormalizedSchema {
  return remember(envelopes, operation, () => {
    const parts = build();
    const [names, refs] = [parts.map(([name]) => name), parts.map(([, ref]) => ref)];
    return NormalizedSchema.of([3, 'wire', `${operation.name}Response`, 0, names, refs] as StaticStructureSchema);
  });
}

function codeAndMessage(shape: ErrorShape, error: AwsError): string {
  const message = `<Message>${escapeXml(error.message)}</Message>`;
  return `<Code>${escapeXml(shape.queryCode)}</Code>${message}${xmlMembers(shape)}`;
}

const xml = (body: string, requestId: string, status = 200): WireResponse => ({
  status,
  headers: { 'content-type': 'text/xml;charset=UTF-8', 'x-amzn-requestid': requestId },
  body,
});
