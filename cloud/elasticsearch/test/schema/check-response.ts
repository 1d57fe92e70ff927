import { Ajv, type ValidateFunction } from 'ajv';
import { type EndpointDefinition, endpointFor, endpointNamed } from './metamodel.ts';
import { newDefinitions, responseSchema, typeSchema } from './to-json-schema.ts';

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  allowUnionTypes: true,
  validateFormats: false,
  inlineRefs: false,
});
const validators = new Map<string, ValidateFunction | undefined>();

/** Members of a response that its schema forbids, or required ones that it lacks; undefined when it has no schema. */
export function schemaProblems(
  method: string,
  path: string,
  body: unknown,
): { readonly api: string; readonly problems: readonly string[] } | undefined {
  const endpoint = endpointFor(method, path);
  return endpoint === undefined ? undefined : problemsOf(endpoint, body);
}

/** The same for an endpoint that is known by its name. */
export function schemaProblemsOf(api: string, body: unknown): readonly string[] | undefined {
  const endpoint = endpointNamed(api);
  return endpoint === undefined ? undefined : problemsOf(endpoint, body)?.problems;
}

function problemsOf(
  endpoint: EndpointDefinition,
  body: unknown,
): { readonly api: string; readonly problems: readonly string[] } | undefined {
  if (!validators.has(endpoint.name)) {
    const schema = responseSchema(endpoint.response);
    validators.set(endpoint.name, schema === undefined ? undefined : compile(schema));
  }
  const validate = validators.get(endpoint.name);
  if (validate === undefined) return undefined;
  return { api: endpoint.name, problems: check(validate, body) };
}

/** Types are compiled once for all responses that use them. */
function compile(schema: Record<string, unknown>): ValidateFunction {
  for (const definition of newDefinitions()) ajv.addSchema(definition);
  return ajv.compile(schema);
}

let validateError: ValidateFunction | undefined;

/** Violations by an error body of the type that all errors share. */
export function errorProblems(body: unknown): readonly string[] {
  validateError ??= compile(typeSchema({ namespace: '_types', name: 'ErrorResponseBase' }));
  return check(validateError, body);
}

function check(validate: ValidateFunction, body: unknown): string[] {
  validate(body);
  const problems = (validate.errors ?? []).map(
    ({ instancePath, message, keyword, params }) =>
      `${instancePath} ${message}${keyword === 'additionalProperties' ? `: ${(params as { additionalProperty: string }).additionalProperty}` : ''}`,
  );
  return [...new Set(problems)];
}
