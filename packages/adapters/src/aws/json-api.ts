import { type Clock, TerminalError, TransientError } from '@drover/core';
import { type SigningKeys, signedHeaders } from '../fleet/sign-request.ts';
import { dnsSuffix } from '../fleet/signed-request.ts';

export interface JsonApiPlace {
  readonly region: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  credentials(): Promise<SigningKeys>;
  /** @default the region's own */
  readonly endpoint?: string | undefined;
}

/** One operation of a service that speaks AWS JSON 1.1. */
export interface JsonCall {
  /** Signing name, which is also the host's. */
  readonly service: string;
  /** What `x-amz-target` has before the operation. */
  readonly target: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type JsonApi = (call: JsonCall) => Promise<Readonly<Record<string, unknown>>>;

const attempts = 4;
const firstPauseMs = 500;

/** Calls for functions that make two or three of them: no SDK client is worth loading for that. */
export function jsonApi(place: JsonApiPlace): JsonApi {
  return async (call) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(place, call);
      } catch (error) {
        if (!(error instanceof TransientError) || attempt === attempts) throw error;
        await place.clock.sleep(firstPauseMs * 2 ** attempt);
      }
    }
  };
}

async function send(place: JsonApiPlace, { service, target, operation, input }: JsonCall) {
  const url = new URL(place.endpoint ?? `https://${service}.${place.region}.${dnsSuffix(place.region)}`);
  const body = JSON.stringify(input);
  const plain = {
    host: url.host,
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': `${target}.${operation}`,
  };
  const scope = { service, region: place.region, keys: await place.credentials(), now: place.clock.now() };
  const headers = signedHeaders({ method: 'POST', path: '/', headers: plain, body }, scope);
  const what = `${service}:${operation}`;
  const response = await place.fetch(`${url.origin}/`, { method: 'POST', headers, body }).catch((cause: Error) => {
    throw new TransientError(`${what}: ${cause.message}`, { cause });
  });
  const text = await response.text();
  if (response.status < 300) return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
  throw failure(what, response.status, text);
}

/** With AWS's code as the cause's name, like the SDK's errors behind our words. */
function failure(what: string, status: number, text: string): Error {
  const { __type = `Http${status}`, message = '', Message = message } = parse(text);
  const code = __type.split('#').at(-1)!;
  const cause = Object.assign(new Error(Message), { name: code });
  const words = `${what}: AWS says ${code}: ${Message}`;
  if (status >= 500 || /Throttl|TooManyRequests|RequestLimit/.test(code)) return new TransientError(words, { cause });
  return new TerminalError(words, { cause });
}

function parse(text: string): { readonly __type?: string; readonly message?: string; readonly Message?: string } {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return { Message: text.slice(0, 200) };
  }
}
