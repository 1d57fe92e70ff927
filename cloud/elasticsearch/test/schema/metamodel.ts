import { readSchema } from '../yaml-rest/api-table.ts';

/** The parts of Elastic's API metamodel that responses use. */
export interface TypeName {
  readonly name: string;
  readonly namespace: string;
}

export type ValueOf =
  | { readonly kind: 'instance_of'; readonly type: TypeName; readonly generics?: readonly ValueOf[] }
  | { readonly kind: 'array_of'; readonly value: ValueOf }
  | { readonly kind: 'union_of'; readonly items: readonly ValueOf[] }
  | { readonly kind: 'dictionary_of'; readonly key: ValueOf; readonly value: ValueOf }
  | { readonly kind: 'user_defined_value' }
  | { readonly kind: 'literal_value'; readonly value: string | number | boolean };

export interface Property {
  readonly name: string;
  readonly required: boolean;
  readonly type: ValueOf;
  readonly aliases?: readonly string[];
  readonly containerProperty?: boolean;
}

interface Behaviour {
  readonly type: TypeName;
  readonly generics?: readonly ValueOf[];
}

export interface TypeDefinition {
  readonly kind: 'interface' | 'enum' | 'type_alias' | 'request' | 'response';
  readonly name: TypeName;
  readonly generics?: readonly TypeName[];
  readonly inherits?: { readonly type: TypeName; readonly generics?: readonly ValueOf[] };
  readonly properties?: readonly Property[];
  readonly behaviors?: readonly Behaviour[];
  readonly attachedBehaviors?: readonly string[];
  /** Query parameters of a request. */
  readonly query?: readonly Property[];
  readonly members?: readonly { readonly name: string; readonly aliases?: readonly string[] }[];
  readonly isOpen?: boolean;
  /** The member whose value may stand for the whole object. */
  readonly shortcutProperty?: string;
  readonly type?: ValueOf;
  readonly body?:
    | { readonly kind: 'value'; readonly value: ValueOf }
    | { readonly kind: 'properties'; readonly properties: readonly Property[] }
    | { readonly kind: 'no_body' };
}

export interface EndpointDefinition {
  readonly name: string;
  readonly urls: readonly { readonly path: string; readonly methods: readonly string[] }[];
  readonly request: TypeName;
  readonly response: TypeName;
}

const schema = readSchema() as unknown as {
  readonly endpoints: readonly EndpointDefinition[];
  readonly types: readonly TypeDefinition[];
};

const keyOf = ({ namespace, name }: TypeName) => `${namespace}:${name}`;
const types = new Map(schema.types.map((type) => [keyOf(type.name), type]));

export const typeNamed = (name: TypeName) => types.get(keyOf(name));

export const allEndpoints = schema.endpoints;
const endpoints = new Map(allEndpoints.map((endpoint) => [endpoint.name, endpoint]));

export const endpointNamed = (name: string) => endpoints.get(name);

/** The endpoint that a request goes to: the one whose path is most literal. */
export function endpointFor(method: string, path: string): EndpointDefinition | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  let best: { endpoint: EndpointDefinition; rank: string } | undefined;
  for (const endpoint of schema.endpoints)
    for (const url of endpoint.urls) {
      const pattern = url.path.split('/').filter((segment) => segment !== '');
      if (
        !url.methods.includes(method) ||
        pattern.length !== segments.length ||
        !pattern.every((part, at) => part.startsWith('{') || part === segments[at])
      )
        continue;
      const rank = pattern.map((part) => (part.startsWith('{') ? '1' : '0')).join('');
      if (best === undefined || rank < best.rank) best = { endpoint, rank };
    }
  return best?.endpoint;
}
