import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { HttpHandler, HttpRequest, HttpResponse } from '@drover/cloud-engine';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/** GitHub's own descriptions of its API, as @octokit/openapi carries them. */
export type Description = 'api.github.com' | 'ghec' | 'ghes-3.19';

type Schema = { readonly [key: string]: unknown };

interface Operation {
  readonly responses: Readonly<Record<string, Schema>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Statuses that GitHub documents for every endpoint on pages of its own, not at the endpoint: "Authenticating to the
 * REST API" (401), "Troubleshooting the REST API" (400, 403, 404, 422, 429), "Best practices for using the REST API" (304).
 */
const documentedForAll: Readonly<Record<number, 'error' | 'empty'>> = {
  304: 'empty',
  400: 'error',
  401: 'error',
  403: 'error',
  404: 'error',
  422: 'error',
  429: 'error',
};

/** Responses that the description does not know, with the reason why they are let through. */
const outsideOfTheDescription = [
  { method: 'POST', path: /^\/actions\/runner-registration$/, why: 'the runner software’s own endpoint' },
  { method: 'POST', path: /^\/actions\/runners\/register$/, why: 'the runner software’s own endpoint' },
  { method: 'GET', path: /\/actions\/runners\/deprecations\//, why: 'newer than the description' },
];

/**
 * Mistakes of the description: the list of an app's installations asks for an account that is a user and an enterprise
 * at once (`allOf`), which no response can be; everywhere else an installation has either (`anyOf`). The conflict of a file is one of two
 * errors (`oneOf`), and every error is both.
 */
const mended: Readonly<Record<string, Schema>> = {
  'PUT /repos/{owner}/{repo}/contents/{path} 409': { $ref: '#/components/schemas/basic-error' },
  'GET /app/installations 200': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
};

/** Checks each response of a handler against the description; a response that breaks it fails the caller. */
export function underContract(handler: HttpHandler, description: Description = 'api.github.com'): HttpHandler {
  return async (request) => {
    const response = await handler(request);
    // Enterprises are described for Enterprise Cloud alone, at the same addresses.
    const ofEnterprise = description === 'api.github.com' && request.path.startsWith('/enterprises/');
    contractOf(ofEnterprise ? 'ghec' : description).check(request, response);
    return response;
  };
}

const contracts = new Map<Description, Contract>();

/** Reads the description once in a process: it has 13 MB. */
export function contractOf(description: Description): Contract {
  let contract = contracts.get(description);
  if (contract === undefined) {
    contract = new Contract(description);
    contracts.set(description, contract);
  }
  return contract;
}

/** The description's operations; validators are made for those that are called. */
export class Contract {
  readonly #document: Document;
  readonly #base: string;
  readonly #paths: readonly { readonly path: string; readonly pattern: RegExp }[];
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #checked = new Set<string>();

  constructor(description: Description) {
    const file = createRequire(import.meta.url).resolve(`@octokit/openapi/generated/${description}.json`);
    this.#document = JSON.parse(readFileSync(file, 'utf8')) as Document;
    this.#base = description.startsWith('ghes') ? '/api/v3' : '';
    this.#paths = Object.keys(this.#document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/[.()]/g, '\\$&').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    }));
  }

  /** Operations with the statuses that were checked, e.g. `GET /rate_limit 200`. */
  get checked(): readonly string[] {
    return [...this.#checked].sort();
  }

  check(request: HttpRequest, response: HttpResponse): void {
    // The Actions service has no description.
    if (/\/_apis\/|^\/scalesets\//.test(request.path)) return;
    const path = request.path.slice(this.#base.length).replace(/^\/organizations\/\d+\//, '/orgs/o/');
    if (outsideOfTheDescription.some((one) => one.method === request.method && one.path.test(path))) return;
    if (response.status >= 500) return; // an outage or `not modelled`: no contract
    const found = this.#paths.find(({ pattern }) => pattern.test(path));
    const operation = found && this.#document.paths[found.path]?.[request.method.toLowerCase()];
    if (found === undefined || operation === undefined)
      throw new Error(`${request.method} ${path} is not in GitHub's description`);
    const name = `${request.method} ${found.path} ${response.status}`;
    this.#checkAnswer(name, operation, response);
    this.#checked.add(name);
  }

  #checkAnswer(name: string, operation: Operation, response: HttpResponse): void {
    const schema = this.#schemaOf(name, operation, response.status);
    checkHeaders(name, response);
    const text = typeof response.body === 'string' ? response.body : Buffer.from(response.body).toString('utf8');
    if (schema === 'empty') {
      if (text !== '') throw new Error(`${name} must have no body, but it has ${JSON.stringify(text)}`);
      return;
    }
    const validate = this.#validator(name, schema);
    if (!validate(JSON.parse(text)))
      throw new Error(`${name} breaks GitHub's description: ${JSON.stringify(validate.errors, null, 1)}\n${text}`);
  }

  #schemaOf(name: string, operation: Operation, status: number): Schema | 'empty' {
    if (mended[name] !== undefined) return mended[name];
    const described = operation.responses[String(status)];
    if (described !== undefined) return jsonSchemaIn(this.#resolve(described)) ?? 'empty';
    const general = documentedForAll[status];
    if (general === undefined) throw new Error(`${name} is a status that GitHub does not document`);
    return general === 'empty' ? 'empty' : this.#document.components.schemas['basic-error']!;
  }

  #validator(name: string, schema: Schema): ValidateFunction {
    let validator = this.#validators.get(name);
    if (validator === undefined) {
      const ajv = new Ajv({ strict: false, allErrors: true });
      addFormats.default(ajv);
      ajv.addFormat('timestamp', true);
      validator = ajv.compile(this.#convert(schema, true) as object);
      this.#validators.set(name, validator);
    }
    return validator;
  }

  /**
   * OpenAPI 3.0 to JSON Schema: references resolved, `nullable` spelt out. Objects may have no property that is not
   * described, except where several schemas describe one object; errors also have `status`, which GitHub sends.
   */
  #convert(schema: unknown, closed: boolean): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#convert(item, closed));
    if (typeof schema !== 'object' || schema === null) return schema;
    const own = this.#resolve(schema as Schema);
    const converted: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(own)) {
      if (ignored.has(key)) continue;
      if (key === 'properties') converted[key] = this.#convertAll(value as Schema);
      else if (key === 'enum' || key === 'required') converted[key] = value;
      else converted[key] = this.#convert(value, closed && key !== 'allOf');
    }
    if (closed && own.properties !== undefined && own.additionalProperties === undefined) close(converted);
    return own.nullable === true ? { anyOf: [{ type: 'null' }, converted] } : converted;
  }

  #convertAll(properties: Schema): Schema {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.#convert(schema, true)]));
  }

  #resolve(schema: Schema): Schema {
    if (typeof schema.$ref !== 'string') return schema;
    const steps = schema.$ref.split('/').slice(1);
    return this.#resolve(steps.reduce<unknown>((at, step) => (at as Schema)[step], this.#document) as Schema);
  }
}

const ignored = new Set(['nullable', 'example', 'examples', 'description', 'title', 'deprecated', 'discriminator']);

function close(schema: Record<string, unknown>): void {
  const properties = schema.properties as Schema;
  schema.additionalProperties = false;
  if ('message' in properties && 'documentation_url' in properties) {
    schema.properties = { ...properties, status: { type: 'string' } };
    schema.required = ['message', 'documentation_url'];
  }
}

const jsonSchemaIn = (response: Schema): Schema | undefined =>
  (response.content as Record<string, { readonly schema: Schema }> | undefined)?.['application/json']?.schema;

/**
 * Headers that GitHub sends with every response (docs.github.com, "Getting started with the REST API": response
 * headers).
 */
function checkHeaders(name: string, { headers, status }: HttpResponse): void {
  for (const header of ['x-github-request-id', 'x-github-media-type', 'x-github-api-version-selected'])
    if (headers[header] === undefined) throw new Error(`${name} has no header ${header}`);
  const json = headers['content-type'] === 'application/json; charset=utf-8';
  if (json === (status === 204 || status === 304)) throw new Error(`${name}: content-type ${headers['content-type']}`);
  for (const [header, value] of Object.entries(headers))
    if (header !== header.toLowerCase() || typeof value !== 'string') throw new Error(`${name}: odd header ${header}`);
}
