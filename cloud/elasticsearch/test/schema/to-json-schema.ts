import type { Property, TypeDefinition, TypeName, ValueOf } from './metamodel.ts';
import { typeNamed } from './metamodel.ts';
import { overlay } from './shutdown-overlay.ts';

type JsonSchema = Record<string, unknown>;

/**
 * Turns a response type of the metamodel into JSON Schema. Generic types are written out for each set of arguments;
 * members that the metamodel does not know are refused.
 */
export function responseSchema(name: TypeName): JsonSchema | undefined {
  const definition = typeNamed(name);
  if (definition?.kind !== 'response' || definition.body === undefined || definition.body.kind === 'no_body')
    return undefined;
  return definition.body.kind === 'value'
    ? converter.value(definition.body.value, new Map())
    : converter.object(definition.body.properties, definition, new Map());
}

/** A type that stands for itself. */
export function typeSchema(type: TypeName): JsonSchema {
  return converter.value({ kind: 'instance_of', type }, new Map());
}

/** Types that have been turned into schemas since this was last asked, each under the id that references name. */
export function newDefinitions(): JsonSchema[] {
  const added = [...converter.definitions.keys()].filter((id) => !handedOut.has(id));
  for (const id of added) handedOut.add(id);
  return added.map((id) => ({ ...converter.definitions.get(id), $id: id }));
}

const handedOut = new Set<string>();

type Arguments = ReadonlyMap<string, ValueOf>;

const builtins: Readonly<Record<string, JsonSchema>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  null: { type: 'null' },
  binary: { type: 'string' },
  void: {},
  undefined: {},
};

class Converter {
  readonly definitions = new Map<string, JsonSchema>();

  value(value: ValueOf, args: Arguments): JsonSchema {
    switch (value.kind) {
      case 'user_defined_value':
        return {};
      case 'literal_value':
        return { const: value.value };
      case 'array_of':
        return { type: 'array', items: this.value(value.value, args) };
      case 'union_of':
        return { anyOf: value.items.map((item) => this.value(item, args)) };
      case 'dictionary_of':
        return { type: 'object', additionalProperties: this.value(value.value, args) };
      case 'instance_of':
        return this.#instance(value.type, value.generics ?? [], args);
    }
  }

  #instance(name: TypeName, generics: readonly ValueOf[], args: Arguments): JsonSchema {
    const bound = args.get(`${name.namespace}:${name.name}`);
    if (bound !== undefined) return this.value(bound, new Map());
    if (name.namespace === '_builtins') return builtins[name.name] ?? {};
    const definition = typeNamed(name);
    if (definition === undefined) return {};
    const resolved = generics.map((argument) => resolve(argument, args));
    const key = `${name.namespace}.${name.name}${resolved.length === 0 ? '' : `<${JSON.stringify(resolved)}>`}`;
    const id = `type:${key.replace(/[^\w.]/g, '_')}`;
    if (!this.definitions.has(id)) {
      this.definitions.set(id, {});
      const inner = new Map(
        (definition.generics ?? []).map((parameter, at) => [`${parameter.namespace}:${parameter.name}`, resolved[at]!]),
      );
      this.definitions.set(id, overlay(name, this.#definition(definition, inner)));
    }
    return { $ref: id };
  }

  #definition(definition: TypeDefinition, args: Arguments): JsonSchema {
    if (definition.kind === 'enum')
      return definition.isOpen === true
        ? { type: 'string' }
        : {
            enum: definition.members!.flatMap(({ name, aliases = [] }) => [
              name,
              ...aliases,
              ...(name === 'true' || name === 'false' ? [name === 'true'] : []),
            ]),
          };
    if (definition.kind === 'type_alias') return this.value(definition.type!, args);
    const whole = this.object(definition.properties ?? [], definition, args);
    const short = definition.properties?.find(({ name }) => name === definition.shortcutProperty);
    return short === undefined ? whole : { anyOf: [this.value(short.type, args), whole] };
  }

  object(properties: readonly Property[], definition: TypeDefinition, args: Arguments): JsonSchema {
    const all = [...properties.map((property) => ({ property, args })), ...this.#inherited(definition, args)];
    const shown = Object.fromEntries(
      all.flatMap(({ property, args: own }) =>
        [property.name, ...(property.aliases ?? [])].map((name) => [
          name,
          nullable(this.value(property.type, own), property.required),
        ]),
      ),
    );
    const extra = this.#additional(definition, args);
    return {
      type: 'object',
      properties: shown,
      required: all
        .filter(({ property }) => property.required && property.aliases === undefined)
        .map(({ property }) => property.name),
      additionalProperties: extra ?? false,
    };
  }

  #inherited(definition: TypeDefinition, args: Arguments): { property: Property; args: Arguments }[] {
    if (definition.inherits === undefined) return [];
    const parent = typeNamed(definition.inherits.type);
    if (parent === undefined) return [];
    const inner: Arguments = new Map(
      (parent.generics ?? []).map((parameter, at) => [
        `${parameter.namespace}:${parameter.name}`,
        resolve(definition.inherits!.generics![at]!, args),
      ]),
    );
    return [
      ...(parent.properties ?? []).map((property) => ({ property, args: inner })),
      ...this.#inherited(parent, inner),
    ];
  }

  #additional(definition: TypeDefinition, args: Arguments): JsonSchema | undefined {
    for (const behaviour of definition.behaviors ?? [])
      if (/^AdditionalPropert/.test(behaviour.type.name)) return this.value(behaviour.generics![1]!, args);
    const parent = definition.inherits === undefined ? undefined : typeNamed(definition.inherits.type);
    return parent === undefined ? undefined : this.#additional(parent, args);
  }
}

const converter = new Converter();

/** Optional members may be absent; clients take null for absent. */
const nullable = (schema: JsonSchema, required: boolean): JsonSchema =>
  required ? schema : { anyOf: [schema, { type: 'null' }] };

function resolve(value: ValueOf, args: Arguments): ValueOf {
  switch (value.kind) {
    case 'instance_of': {
      const bound = args.get(`${value.type.namespace}:${value.type.name}`);
      return (
        bound ?? {
          ...value,
          ...(value.generics === undefined
            ? {}
            : { generics: value.generics.map((argument) => resolve(argument, args)) }),
        }
      );
    }
    case 'array_of':
      return { ...value, value: resolve(value.value, args) };
    case 'union_of':
      return { ...value, items: value.items.map((item) => resolve(item, args)) };
    case 'dictionary_of':
      return { ...value, key: resolve(value.key, args), value: resolve(value.value, args) };
    default:
      return value;
  }
}
