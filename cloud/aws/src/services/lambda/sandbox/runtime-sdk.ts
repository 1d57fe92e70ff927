import { createRequire } from 'node:module';
import { inProcessClientConfig } from '../../../wire/client-config.ts';
import { requestHandlerOver } from '../../../wire/request-handler.ts';
import type { ExecutionEnvironment } from '../invocation/environment.ts';

type Exports = Record<string, unknown>;
type Client = new (config?: object) => object;

const realRequire = createRequire(import.meta.url);

/**
 * A client of the SDK that Lambda's Node.js runtimes bring (Developer Guide, "Runtime-included SDK versions"), for functions
 * that are packaged without one, as CDK's own are: over the embedded network, with the rights of the function's role.
 */
export function runtimeSdk(id: string, environment: ExecutionEnvironment): Exports | undefined {
  if (!/^@aws-sdk\/client-[\w-]+$/.test(id)) return undefined;
  const real = installed(id);
  if (real === undefined) return undefined;
  const config = {
    ...inProcessClientConfig(environment.aws, environment.credentials),
    requestHandler: requestHandlerOver(environment.http, { clock: environment.clock }),
  };
  const entries = Object.entries(real).map(([name, value]) => [
    name,
    isClient(value) ? configured(value, config) : value,
  ]);
  return Object.fromEntries(entries) as Exports;
}

/** Those that the embedded cloud models. */
function installed(id: string): Exports | undefined {
  try {
    return realRequire(id) as Exports;
  } catch {
    return undefined;
  }
}

const isClient = (value: unknown): value is Client =>
  typeof value === 'function' && typeof (value.prototype as { send?: unknown } | undefined)?.send === 'function';

const configured = (RealClient: Client, fixed: object): Client =>
  class extends RealClient {
    constructor(config: object = {}) {
      super({ ...config, ...fixed });
    }
  };
