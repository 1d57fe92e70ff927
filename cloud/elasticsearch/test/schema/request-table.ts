import { endpoints } from '../../src/http/routes/endpoints.ts';
import type { RequestTable } from '../../src/http/routes/route.ts';
import { endpointNamed, type TypeName, typeNamed } from './metamodel.ts';

/** Parameters that every API takes: the router knows them. */
const common = new Set(['error_trace', 'filter_path', 'format', 'human', 'pretty']);

/** Paths, methods and query parameters, and whether there may be a body, of the modelled APIs, from the published API description. */
export function requestTable(): RequestTable {
  const names = [...new Set(endpoints.map(({ api }) => api))].sort();
  return Object.fromEntries(
    names.map((api) => {
      const described = endpointNamed(api)!;
      const requests = described.urls.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));
      const params = [...queryOf(described.request)].filter((name) => !common.has(name));
      const { body } = typeNamed(described.request) ?? {};
      return [api, { requests, params, body: body !== undefined && body.kind !== 'no_body' }];
    }),
  );
}

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
