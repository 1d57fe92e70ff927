import { Ajv, type ValidateFunction } from 'ajv';
import { endpointFor } from './metamodel.ts';
import { responseSchema } from './to-json-schema.ts';

const ajv = new Ajv({ strict: false, allErrors: true, allowUnionTypes: true, validateFormats: false });
const validators = new Map<string, ValidateFunction | undefined>();

/** What a response has that its schema forbids, or lacks that it demands; undefined when there is no schema for it. */
export function schemaProblems(
  method: string,
  path: string,
  body: unknown,
): { readonly api: string; readonly problems: readonly string[] } | undefined {
  const endpoint = endpointFor(method, path);
  if (endpoint === undefined) return undefined;
  if (!validators.has(endpoint.name)) {
    const schema = responseSchema(endpoint.response);
    validators.set(endpoint.name, schema === undefined ? undefined : ajv.compile(schema));
  }
  const validate = validators.get(endpoint.name);
  if (validate === undefined) return undefined;
  validate(body);
  const problems = (validate.errors ?? []).map(
    (error) =>
      `${error.instancePath} ${error.message}${error.keyword === 'additionalProperties' ? `: ${(error.params as { additionalProperty: string }).additionalProperty}` : ''}`,
  );
  return { api: endpoint.name, problems: [...new Set(problems)] };
}
