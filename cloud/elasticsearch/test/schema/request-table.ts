import { endpoints } from '../../src/http/routes/endpoints.ts';
import type { RequestTable } from '../../src/http/routes/route.ts';
import { allEndpoints, type EndpointDefinition, endpointNamed, type TypeName, typeNamed } from './metamodel.ts';

/** Parameters that every API takes: the router knows them. */
const common = new Set(['error_trace', 'filter_path', 'format', 'human', 'pretty']);

const modelled = new Set(endpoints.map(({ api }) => api));

/** Paths, methods and query parameters, and whether there may be a body, of the modelled APIs, from the published API description. */
export function requestTable(): RequestTable {
  return Object.fromEntries(
    [...modelled].sort().map((api) => {
      const described = endpointNamed(api)!;
      const params = [...queryOf(described.request)].filter((name) => !common.has(name));
      const { body } = typeNamed(described.request) ?? {};
      return [api, { requests: requestsOf(described), params, body: body !== undefined && body.kind !== 'no_body' }];
    }),
  );
}

/** Requests of the published description that the model does not serve. */
export function unmodelledRequests(): string[] {
  const shapeOf = (request: string) => request.replaceAll(/\{\w+\}/g, '{}');
  const served = new Set(
    endpoints.flatMap(({ api, only, also = [] }) => only ?? [...requestsOf(endpointNamed(api)!), ...also]).map(shapeOf),
  );
  return [...new Set(allEndpoints.flatMap(requestsOf).filter((request) => !served.has(shapeOf(request))))].sort();
}

/** Members of a search and kinds of queries that the published description has. */
export function searchNames(): Readonly<Record<'members' | 'queries', readonly string[]>> {
  const { body } = typeNamed(endpointNamed('search')!.request)!;
  const queries = typeNamed({ namespace: '_types.query_dsl', name: 'QueryContainer' })!;
  return {
    members: body?.kind === 'properties' ? namesOf(body.properties) : [],
    queries: namesOf(queries.properties ?? []),
  };
}

/** Types of the description that only plugins have, or that are none; and types that it forgets. */
const unusualTypes = new Set(['icu_collation_keyword', 'murmur3', 'none']);
const forgottenTypes = ['point', 'unsigned_long'];

/** Types of fields that the published description has. */
export function fieldTypes(): readonly string[] {
  const { members = [] } = typeNamed({ namespace: '_types.mapping', name: 'FieldType' })!;
  return [...members.map(({ name }) => name).filter((name) => !unusualTypes.has(name)), ...forgottenTypes].sort();
}

const namesOf = (properties: readonly { readonly name: string; readonly aliases?: readonly string[] }[]) =>
  properties.flatMap(({ name, aliases = [] }) => [name, ...aliases]).sort();

const requestsOf = ({ urls }: EndpointDefinition) =>
  urls.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));

function queryOf(name: TypeName): Set<string> {
  const type = typeNamed(name);
  if (type === undefined) return new Set();
  const own = [...(type.query ?? []), ...(type.kind === 'interface' ? (type.properties ?? []) : [])];
  const inherited = type.inherits === undefined ? [] : queryOf(type.inherits.type);
  const attached = (type.attachedBehaviors ?? []).flatMap((behaviour) => [
    ...queryOf({ namespace: '_spec_utils', name: behaviour }),
  ]);
  return new Set([...own.map((property) => property.name), ...inherited, ...attached]);
}
