import { type MetadataService, metadataService } from '@drover/adapters/aws/metadata';
import { SearchClient, type SearchClientOptions } from '@drover/adapters/elasticsearch/client';
import { loadOnce } from '@drover/core/load-once';
import { type Logger, terminalLogger } from '@drover/core/logger';
import { superuser } from '@drover/core/names/search-cluster';
import type { Aws } from './aws.ts';
import { resolveLogin } from './credentials.ts';
import { UsageError } from './exit.ts';
import { type NodeFacts, readFacts } from './facts.ts';
import type { Io } from './io.ts';
import { printData, refuseBinaryOnTerminal } from './render/output.ts';
import { type ProgressLine, progressLine } from './render/progress.ts';
import type { Format, GlobalValues } from './tree/globals.ts';

/** Loaded when a command first calls AWS. */
export const awsModule = loadOnce(() => import('./aws.ts'));

interface SearchOptions {
  /** Health and statistics: asked for without a password first. */
  readonly monitoring?: boolean;
  readonly securityStartsWithinMs?: number;
  /** The address to ask. @default what the options say */
  readonly address?: SearchClientOptions['address'];
}

/** The context of every command; each part is made when it is first used. */
export class Context {
  readonly io: Io;
  readonly format: Format;
  readonly log: Logger;
  readonly progress: ProgressLine;
  readonly requestTimeoutMs: number;
  readonly #globals: GlobalValues;
  #facts: Promise<NodeFacts> | undefined;
  #metadata: MetadataService | undefined;
  #aws: Aws | undefined;

  constructor(io: Io, globals: GlobalValues) {
    this.io = io;
    this.#globals = globals;
    this.format = globals.format;
    this.requestTimeoutMs = globals.requestTimeout * 1000;
    refuseBinaryOnTerminal(this.format, io);
    this.progress = progressLine(io, !globals.quiet);
    this.log = terminalLogger({
      level: globals.debug ? 'debug' : globals.quiet ? 'warn' : 'info',
      colour: io.stderr.isTTY && io.env.NO_COLOR === undefined,
      write: (line) => {
        this.progress.clear();
        void io.stderr.write(`${line}\n`);
      },
    });
  }

  /** A client of Elasticsearch. Monitoring works without a password as far as the anonymous role allows it. */
  search(options: SearchOptions = {}): SearchClient {
    const { password, username, passwordSecret } = this.#globals;
    // Naming a user other than the default one means asking for a login.
    const given = password !== undefined || passwordSecret !== undefined || username !== superuser;
    const login = resolveLogin({
      username,
      password,
      passwordSecret,
      environmentPassword: this.io.env.CLUSTER_CLI_PASSWORD,
      facts: () => this.facts(),
      secret: async (id, stage) => (await this.aws()).password(id, stage),
      anonymousFirst: options.monitoring === true && !given,
    });
    const { address, securityStartsWithinMs = 0 } = options;
    const reached = this.searchOptions();
    return new SearchClient({ ...reached, address: address ?? reached.address, login, securityStartsWithinMs });
  }

  /** How to reach Elasticsearch, without a login. */
  searchOptions(): Omit<SearchClientOptions, 'login'> {
    const { esProtocol: protocol, esHost: host, esPort: port } = this.#globals;
    return {
      exchange: this.io.exchange,
      clock: this.io.clock,
      address: { protocol, host, port },
      timeoutMs: this.requestTimeoutMs,
      signal: this.io.signal,
      onExchange: (line) => this.log.debug(line),
    };
  }

  /** The configuration agent's facts about this node. */
  facts(): Promise<NodeFacts> {
    this.#facts ??= readFacts(this.io.files);
    return this.#facts;
  }

  /** The metadata of the instance on which the command runs; needs neither a permission nor the SDK. */
  get metadata(): MetadataService {
    const { exchange, clock, env } = this.io;
    this.#metadata ??= metadataService({ exchange, clock, endpoint: env.AWS_EC2_METADATA_SERVICE_ENDPOINT });
    return this.#metadata;
  }

  async aws(): Promise<Aws> {
    const { openAws } = await awsModule();
    this.#aws ??= openAws(this.io, this.metadata, this.log);
    return this.#aws;
  }

  /** The inputs of every run of a use case: time, chance, Ctrl-C, and where it reports. */
  get run() {
    const { clock, random, signal } = this.io;
    return {
      clock,
      random,
      signal,
      onWait: (because: string) => this.progress.show({ because }),
      onAction: (what: string) => this.log.info(what),
      onWarning: (what: string) => this.log.warn(what),
    };
  }

  /** Prints data in the format that was asked for; `text` renders it for people. */
  async print(data: unknown, text: () => string): Promise<void> {
    await printData(data, text, this.format, this.io);
  }

  /** Asks before something that cannot be undone. Without a terminal to ask on it needs `--yes`. */
  async confirm(what: string, yes: boolean): Promise<boolean> {
    if (yes) return true;
    if (!this.io.stdin.isTTY)
      throw new UsageError(`this would ${what}: say --yes, because there is no terminal to ask on`);
    const answer = await this.io.stdin.ask(`This would ${what}. Continue? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
    this.log.error('not confirmed: nothing was changed');
    return false;
  }
}
