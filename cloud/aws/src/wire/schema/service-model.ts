import type { ServiceId } from '../../account/service.ts';
import { remember } from '../remember.ts';
import { bindings, type ServiceBinding } from './bindings.ts';
import {
  loadSchemas,
  NormalizedSchema,
  readSharedConfiguration,
  type StaticErrorSchema,
  type StaticOperationSchema,
} from './sdk-schemas.ts';

/** One operation as the service's package describes it. */
export interface OperationModel {
  readonly name: string;
  readonly input: NormalizedSchema;
  readonly output: NormalizedSchema;
  /** Method, URI pattern and status of an operation of a REST service. */
  readonly http?: readonly [method: string, uri: string, status: number];
  /** The response's body is handed to the client as a stream. */
  readonly streamsOutput: boolean;
  /** Events flow in or out: not modelled. */
  readonly hasEventStream: boolean;
}

/** One error as the service's package describes it. */
export interface ErrorModel {
  /** The shape's name: the code of JSON and REST protocols. */
  readonly name: string;
  /** The code of Query protocols. */
  readonly queryCode: string;
  readonly status: number;
  readonly schema: NormalizedSchema;
  readonly qualifiedName: string;
}

export interface ServiceModel {
  readonly id: ServiceId;
  readonly binding: ServiceBinding;
  readonly operations: ReadonlyMap<string, OperationModel>;
  /** By shape name and by Query code. */
  readonly errors: ReadonlyMap<string, ErrorModel>;
}

const models = new Map<ServiceId, ServiceModel>();

/** The model of a service, loaded when first asked for. */
export const serviceModel = (id: ServiceId): ServiceModel => remember(models, id, () => load(id));

/** Does ahead of the first request what takes time or turns of the event loop: loads packages, reads the SDK's shared configuration. */
export async function preload(services: readonly ServiceId[] = []): Promise<void> {
  for (const id of services) serviceModel(id);
  await readSharedConfiguration();
}

/** Which services' packages have been loaded so far. */
export const loadedServices = (): readonly ServiceId[] => [...models.keys()];

function load(id: ServiceId): ServiceModel {
  const { operations, errors } = loadSchemas(id);
  const errorModels = new Map<string, ErrorModel>();
  const made = errors.map((schema) => toErrorModel(schema, bindings[id].protocols.includes('query')));
  for (const error of made) errorModels.set(error.queryCode, error);
  for (const error of made) errorModels.set(error.name, error);
  return {
    id,
    binding: bindings[id],
    operations: new Map(operations.map((schema) => [schema[2], toOperationModel(schema)])),
    errors: errorModels,
  };
}

function toOperationModel([, , name, traits, inputRef, outputRef]: StaticOperationSchema): OperationModel {
  const input = NormalizedSchema.of(inputRef);
  const output = NormalizedSchema.of(outputRef);
  const http = typeof traits === 'object' ? traits.http : undefined;
  return {
    name,
    input,
    output,
    ...(http === undefined ? {} : { http }),
    streamsOutput: members(output).some(([, member]) => member.isStreaming() && member.isBlobSchema()),
    hasEventStream: input.getEventStreamMember() !== '' || output.getEventStreamMember() !== '',
  };
}

/** The status of a Query error says nothing of a service that does not speak Query: there a mistake of the caller is 400. */
function toErrorModel(schema: StaticErrorSchema, speaksQuery: boolean): ErrorModel {
  const [, namespace, name, traits] = schema;
  const { awsQueryError, httpError, error } = (typeof traits === 'object' ? traits : {}) as {
    awsQueryError?: [string, number];
    httpError?: number;
    error?: string;
  };
  return {
    name,
    queryCode: awsQueryError?.[0] ?? name,
    status: httpError ?? (speaksQuery ? awsQueryError?.[1] : undefined) ?? (error === 'server' ? 500 : 400),
    schema: NormalizedSchema.of(schema),
    qualifiedName: `${namespace}#${name}`,
  };
}

/** Name and schema of a structure's members; none for the unit shape. */
export const members = (schema: NormalizedSchema): [string, NormalizedSchema][] =>
  schema.isUnitSchema() ? [] : [...schema.structIterator()];

/** How many of a structure's members, from the first, are required: the schema keeps only their number. */
export function requiredCount(schema: NormalizedSchema): number {
  const raw = schema.getSchema();
  return Array.isArray(raw) && typeof raw[6] === 'number' ? raw[6] : 0;
}
