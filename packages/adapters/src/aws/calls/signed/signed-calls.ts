import { RealClock, SystemRandom } from '@drover/core';
import { collectText, sendHttp } from '../../http/send-http.ts';
import { dnsSuffix, type SdkNeighbour, type SignedAnswer, sendSigned } from '../signed-request.ts';
import type { Protocol } from './protocols.ts';
import type { Shape } from './shape.ts';

/** What the functions' own composition gives to a client. */
export interface LeanConfig {
  readonly region: string;
  credentials(): Promise<{
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  }>;
  /** @default the region's own */
  readonly endpoint?: string;
}

interface Service {
  /** Signing name and first part of the host name. */
  readonly name: string;
  readonly protocol: Protocol;
}

interface Operation {
  readonly name: string;
  readonly output?: Shape;
  /** Carries a token that makes a second try of the same request harmless. */
  readonly token?: boolean;
}

export interface LeanCommand {
  readonly operation: Operation;
  readonly input: object;
}

/** A command as in the SDK: a class that holds its input. */
export const command = (name: string, options: Omit<Operation, 'name'> = {}) =>
  class implements LeanCommand {
    readonly operation: Operation = { name, ...options };
    readonly input: object;

    constructor(input: object) {
      this.input = input;
    }
  };

/** A client as in the SDK, as far as the functions use one: sends commands, tries again, lends its configuration. */
export const client = (service: Service) =>
  class {
    readonly config: SdkNeighbour['config'];
    readonly #endpoint: string | undefined;

    constructor({ region, credentials, endpoint }: LeanConfig) {
      this.config = { region: async () => region, credentials, requestHandler: { handle } };
      this.#endpoint = endpoint;
    }

    async send({ operation, input }: LeanCommand): Promise<unknown> {
      const { name } = operation;
      const whole = operation.token ? { ClientRequestToken: random.uuid(), ...input } : input;
      const region = await this.config.region();
      const request = {
        service: service.name,
        method: 'POST',
        host: `${service.name}.${region}.${dnsSuffix(region)}`,
        path: '/',
        headers: { ...service.protocol.headers(name), 'user-agent': 'drover' },
        body: service.protocol.body(name, whole),
      };
      const answer = await patiently(
        () => sendSigned(this, request, this.#endpoint),
        (failed) => service.protocol.failure(name, failed),
      );
      return service.protocol.output(name, answer.body, operation.output);
    }
  };

const random = new SystemRandom();
const clock = new RealClock();

const mostTries = 3;
/** AWS SDKs and Tools Reference Guide, "Retry behavior", mode `standard`. */
const firstPauseMs = 100;
const silenceMs = 10_000;

/** Tries again when AWS or the network had a bad moment. */
async function patiently(
  ask: () => Promise<SignedAnswer>,
  explain: (answer: SignedAnswer) => Error,
): Promise<SignedAnswer> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await ask().catch((error: Error) => error);
    const failure = outcome instanceof Error ? outcome : outcome.status >= 300 ? explain(outcome) : undefined;
    if (failure === undefined) return outcome as SignedAnswer;
    const passing = outcome instanceof Error || mayPass(outcome.status, failure.name);
    if (attempt === mostTries || !passing) throw failure;
    await clock.sleep(random.next() * firstPauseMs * 2 ** attempt);
  }
}

const mayPass = (status: number, code: string) =>
  status >= 500 || status === 429 || /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|RequestTimeout/.test(code);

interface HandledRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function handle({ protocol, hostname, port, path, ...question }: HandledRequest) {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  const message = await sendHttp(url, { ...question, silenceMs });
  const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)]));
  return { response: { statusCode: message.statusCode ?? 0, headers, body: await collectText(message) } };
}
