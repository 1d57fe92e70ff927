import { asFetch, type HttpHandler, type KillableProcess, type Network, never, turnOf } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Caller, Credentials } from '../../../account/service.ts';
import { exitError, functionError, timedOut } from '../errors.ts';
import {
  type FunctionContext,
  type FunctionEnvironment,
  type FunctionError,
  latest,
  type Outcome,
  type Program,
} from '../model.ts';
import type { Selected } from '../state.ts';
import { EnvironmentClock } from './environment-clock.ts';
import { LogWriter } from './log-writer.ts';

/** Loads a function's program into an environment. */
export type Loader = (environment: ExecutionEnvironment) => Program | Promise<Program>;

/** One invocation as the environment sees it. */
interface InvocationRequest {
  readonly requestId: string;
  readonly payload: unknown;
  readonly invokedArn: string;
  readonly traceHeader: string;
}

/**
 * One execution environment: a process with its own memory, used for one invocation at a time and reused while warm.
 * (Developer Guide, "Understanding the Lambda execution environment lifecycle".)
 */
export class ExecutionEnvironment implements FunctionEnvironment, KillableProcess {
  readonly functionName: string;
  readonly selected: Selected;
  readonly env: Record<string, string>;
  readonly clock: EnvironmentClock;
  readonly random: Random;
  readonly http: HttpHandler;
  readonly fetch: typeof fetch;
  readonly logs: LogWriter;
  readonly credentials: Credentials;
  readonly process: KillableProcess = this;
  readonly aws: AwsNeighbours;
  readonly #loader: Loader;
  #program: Program | undefined;
  #requestId = '';
  #inFlight = 0;
  #dead: string | undefined;
  #die: (error: FunctionError) => void = () => {};
  /** When it last became idle. */
  idleSince: number;

  constructor(aws: AwsNeighbours, network: Network, selected: Selected, loader: Loader, random: Random) {
    const { fn, settings } = selected;
    this.aws = aws;
    this.functionName = fn.name;
    this.selected = selected;
    this.#loader = loader;
    this.random = random;
    this.idleSince = aws.engine.clock.now();
    this.clock = new EnvironmentClock(aws.engine.clock, (error) => this.crash(error));
    this.credentials = aws.iam.assumeRoleForService(settings.role, 'lambda.amazonaws.com', fn.name);
    this.logs = new LogWriter(aws, fn.name, settings, random.hex(32), this.credentials);
    this.env = environmentVariables(aws, selected, this.credentials, this.logs);
    this.http = this.#reach(network);
    this.fetch = asFetch(this.http);
  }

  get alive(): boolean {
    return this.#dead === undefined;
  }

  /** Credentials, process and trace of what this environment calls. */
  get caller(): Caller {
    const traceId = this.env._X_AMZN_TRACE_ID;
    return { credentials: this.credentials, process: this, ...(traceId === undefined ? {} : { traceId }) };
  }

  /** Whether a timer or a response is still to come. */
  get busy(): boolean {
    return this.clock.waiting || this.#inFlight > 0;
  }

  get requestId(): string {
    return this.#requestId;
  }

  log(line: string): void {
    this.program('INFO', line);
  }

  program(level: string, line: string): void {
    if (this.alive) this.logs.program(level, line, this.#requestId);
  }

  /** Runs the handler once. A timeout or a crash ends the environment. */
  async invoke(request: InvocationRequest): Promise<Outcome> {
    const { settings } = this.selected;
    this.#requestId = request.requestId;
    this.env._X_AMZN_TRACE_ID = request.traceHeader;
    const died = new Promise<Outcome>((resolve) => {
      this.#die = (error) => resolve({ ok: false, error });
    });
    this.clock.thaw();
    const timer = this.aws.engine.clock.after(settings.timeoutSeconds * 1_000, () => this.#timeOut());
    const outcome = await Promise.race([this.#run(request), died]);
    timer.cancel();
    this.clock.freeze();
    this.idleSince = this.aws.engine.clock.now();
    return outcome;
  }

  /** Ends the process from outside, as a fault does: nothing that it waits for ever comes. */
  kill(_reason: string): void {
    this.#end(exitError(this.#requestId, 'signal: killed'));
  }

  /** The program ends its own process. */
  exit(code: number): never {
    this.#end(exitError(this.#requestId, `exit status ${code}`));
    throw new Error(`process.exit(${code})`);
  }

  /** A process of its own has ended: by itself, or it was killed. */
  processEnded(how: string): void {
    this.#end(exitError(this.#requestId, how));
  }

  /** An uncaught error ends the process. */
  crash(error: unknown): void {
    this.program('ERROR', `Uncaught Exception\t${JSON.stringify(functionError(error))}`);
    this.#end({ ...functionError(error), errorType: functionError(error).errorType });
  }

  /** No longer needed. */
  retire(): void {
    this.#end(exitError(this.#requestId, 'exit status 0'));
  }

  async #run(request: InvocationRequest): Promise<Outcome> {
    try {
      this.#program ??= await this.#loader(this);
      const result = await this.#program.invoke(structuredClone(request.payload), this.#context(request));
      return { ok: true, payload: result === undefined ? null : JSON.parse(JSON.stringify(result) ?? 'null') };
    } catch (error) {
      const described = functionError(error);
      if (this.#program === undefined) this.#end(described);
      this.program('ERROR', `Invoke Error\t${JSON.stringify(described)}`);
      return { ok: false, error: described };
    }
  }

  #context(request: InvocationRequest): FunctionContext {
    const { fn, settings } = this.selected;
    const deadline = this.clock.now() + settings.timeoutSeconds * 1_000;
    return {
      functionName: fn.name,
      functionVersion: latest,
      invokedFunctionArn: request.invokedArn,
      memoryLimitInMB: String(settings.memoryMb),
      awsRequestId: request.requestId,
      logGroupName: this.logs.group,
      logStreamName: this.logs.stream,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - this.clock.now()),
    };
  }

  #timeOut(): void {
    const { timeoutSeconds } = this.selected.settings;
    const now = new Date(this.clock.now()).toISOString();
    this.logs.raw(`${now} ${this.#requestId} Task timed out after ${timeoutSeconds.toFixed(2)} seconds`);
    this.#end(timedOut(this.#requestId, timeoutSeconds));
  }

  #end(error: FunctionError): void {
    if (!this.alive) return;
    this.#dead = error.errorType;
    this.clock.stop();
    this.#program?.stop?.();
    this.#die(error);
  }

  /** The network from the function's subnets; responses wait while the environment is frozen. */
  #reach(network: Network): HttpHandler {
    const { fn, settings } = this.selected;
    // An environment is attached to one of the subnets: with only some that lead out, it is chance whether it works.
    const subnets =
      settings.subnetIds.length === 0 ? {} : { subnetIds: [this.random.fork('subnet').pick(settings.subnetIds)] };
    const reach = network.from({ kind: 'function', name: fn.name, process: this, ...subnets });
    return async (request) => {
      if (!this.alive) return await never;
      this.#inFlight += 1;
      await turnOf(this.clock);
      const answer = reach({ ...request, headers: this.#traced(request.headers) });
      await answer.catch(() => {});
      await turnOf(this.clock);
      this.#inFlight -= 1;
      await this.clock.running();
      return this.alive ? answer : await never;
    };
  }

  /** The SDKs in a function copy the trace into each request; code that brings its own client gets the same. */
  #traced(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const trace = this.env._X_AMZN_TRACE_ID;
    return trace === undefined || 'x-amzn-trace-id' in headers ? headers : { ...headers, 'x-amzn-trace-id': trace };
  }
}

/** (Developer Guide, "Defined runtime environment variables".) */
function environmentVariables(aws: AwsNeighbours, selected: Selected, credentials: Credentials, logs: LogWriter) {
  const { fn, settings } = selected;
  const defined: Record<string, string | undefined> = {
    _HANDLER: settings.handler,
    AWS_DEFAULT_REGION: aws.region,
    AWS_REGION: aws.region,
    AWS_EXECUTION_ENV: `AWS_Lambda_${settings.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: latest,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: logs.group,
    AWS_LAMBDA_LOG_STREAM_NAME: logs.stream,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    LAMBDA_TASK_ROOT: '/var/task',
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    PATH: '/var/lang/bin:/usr/local/bin:/usr/bin/:/bin:/opt/bin',
    NODE_PATH: '/opt/nodejs/node_modules:/var/runtime/node_modules',
  };
  const present = Object.entries(defined).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...settings.environment, ...Object.fromEntries(present) };
}
