import { SearchClient, type SearchClientOptions } from '@drover/adapters/search/client';
import { loadOnce } from '@drover/core/load-once';
import { type Logger, terminalLogger } from '@drover/core/logger';
import { resolveLogin } from './credentials.ts';
import { type NodeFacts, readFacts } from './facts.ts';
import type { Io } from './io.ts';
import { refuseBinaryOnTerminal } from './render/output.ts';
import { type ProgressLine, progressLine } from './render/progress.ts';
import type { Format } from './tree/globals.ts';
import type { OptionValues } from './tree/types.ts';

/** AWS is loaded for those who use it. */
export const awsModule = loadOnce(() => import('./aws.ts'));

/** What every command works with; each part is made when it is first used. */
export class Context {
  readonly io: Io;
  readonly format: Format;
  readonly log: Logger;
  readonly progress: ProgressLine;
  readonly requestTimeoutMs: number;
  readonly #globals: OptionValues;
  #facts: Promise<NodeFacts> | undefined;

  constructor(io: Io, globals: OptionValues) {
    this.io = io;
    this.#globals = globals;
    this.format = globals.format as Format;
    this.requestTimeoutMs = Number(globals['request-timeout']) * 1000;
    refuseBinaryOnTerminal(this.format, io);
    this.progress = progressLine(io, globals.quiet !== true);
    this.log = terminalLogger({
      level: globals.debug === true ? 'debug' : globals.quiet === true ? 'warn' : 'info',
      colour: io.stderr.isTTY && io.env.NO_COLOR === undefined,
      write: (line) => {
        this.progress.clear();
        void io.stderr.write(`${line}\n`);
      },
    });
  }

  /** A client of Elasticsearch. Monitoring works without a password where the anonymous role allows it. */
  search(options: { readonly monitoring?: boolean } = {}): SearchClient {
    const { password, username } = this.#globals;
    const given = password !== undefined || this.#globals['password-secret'] !== undefined || username !== defaultUser;
    const login = resolveLogin({
      username: username as string,
      password: password as string | undefined,
      passwordSecret: this.#globals['password-secret'] as string | undefined,
      environmentPassword: this.io.env.CLUSTER_CLI_PASSWORD,
      facts: () => this.facts(),
      secret: async (id, stage) => (await awsModule()).secretPassword(this, id, stage),
      anonymousFirst: options.monitoring === true && !given,
    });
    return new SearchClient({ ...this.searchOptions(), login });
  }

  /** How to reach Elasticsearch, without a login. */
  searchOptions(): Omit<SearchClientOptions, 'login'> {
    return {
      exchange: this.io.exchange,
      clock: this.io.clock,
      address: {
        protocol: this.#globals['es-protocol'] as 'http' | 'https',
        host: this.#globals['es-host'] as string,
        port: this.#globals['es-port'] as number,
      },
      timeoutMs: this.requestTimeoutMs,
      signal: this.io.signal,
      onExchange: (line) => this.log.debug(line),
    };
  }

  get username(): string {
    return this.#globals.username as string;
  }

  facts(): Promise<NodeFacts> {
    this.#facts ??= readFacts(this.io.files);
    return this.#facts;
  }
}

/** Who logs in when nobody says otherwise; asking for another user means asking for a login. */
const defaultUser = 'elastic';
