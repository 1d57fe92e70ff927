import type { Network } from '@drover/cloud-engine';
import type { AwsNeighbours, LambdaNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { FunctionStore } from './functions/function-store.ts';
import { registerPolicies, requirePermission } from './functions/policy.ts';
import { AsyncQueue } from './invocation/async-queue.ts';
import { Concurrency } from './invocation/concurrency.ts';
import type { Loader } from './invocation/environment.ts';
import { Invoker } from './invocation/invoker.ts';
import { EnvironmentPool } from './invocation/pool.ts';
import type { FunctionEnvironment, Handler, LambdaFunction } from './model.ts';
import { controlOperations } from './operations/controls.ts';
import { functionOperations } from './operations/functions.ts';
import { invokeOperation } from './operations/invoke.ts';
import { lambdaResources } from './resources.ts';
import { loadBundle } from './runtime/bundle.ts';
import { Functions, type Selected } from './state.ts';

export type { FunctionContext, FunctionEnvironment, Handler } from './model.ts';

type Match = (functionName: string) => boolean;

/** AWS Lambda. Code runs as the real bundle in this process, as an injected handler, or as another loader runs it. */
export class Lambda implements AwsService, LambdaNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly concurrency: Concurrency;
  readonly #functions: Functions;
  readonly #pool: EnvironmentPool;
  readonly #invoker: Invoker;
  readonly #queue: AsyncQueue;
  readonly #aws: AwsNeighbours;
  readonly #loaders: { readonly match: Match; readonly loader: Loader }[] = [];

  constructor(aws: AwsNeighbours) {
    const random = aws.engine.random.fork('lambda');
    this.#aws = aws;
    this.#functions = new Functions(aws);
    this.concurrency = new Concurrency(this.#functions.all);
    this.#pool = new EnvironmentPool(aws, (selected) => this.#loaderFor(selected), random.fork('environments'));
    this.#invoker = new Invoker(aws, this.concurrency, this.#pool, random.fork('invocations'));
    this.#queue = new AsyncQueue(aws, this.#functions, this.#invoker, random.fork('queue'));
    const store = new FunctionStore(aws, this.#functions, this.#pool, random.fork('functions'));
    this.operations = {
      ...functionOperations(store),
      Invoke: invokeOperation(this.#functions, this.#invoker, this.#queue),
      ...controlOperations(this.#functions, this.concurrency, () => aws.engine.clock.now()),
    };
    registerPolicies(aws, this.#functions);
    this.resources = lambdaResources(aws, store, this.concurrency);
  }

  /** Gives functions their network. */
  connect(network: Network): void {
    this.#pool.connect(network);
  }

  /**
   * Runs matching functions as plain code instead of their bundle; `factory` is called once per execution environment, for those
   * that begin while `when` holds.
   */
  inject(match: Match, factory: (environment: FunctionEnvironment) => Handler, when = () => true): void {
    this.runWith(match, (environment) => (when() ? { invoke: factory(environment) } : loadBundle(environment)));
  }

  /** Runs matching functions with the given loader; the newest match wins. */
  runWith(match: Match, loader: Loader): void {
    this.#loaders.unshift({ match, loader });
    for (const fn of this.#functions.all.values()) if (match(fn.name)) this.#pool.retire(fn.settings);
  }

  /** Ends all execution environments with their processes. */
  stop(): void {
    this.#pool.stop();
  }

  /** A function as it is configured now, for checkers. */
  find(name: string): LambdaFunction | undefined {
    return this.#functions.all.get(name);
  }

  /** The names of all functions, for consoles and checkers. */
  get names(): readonly string[] {
    return [...this.#functions.all.keys()];
  }

  invokeAsync(
    functionArn: string,
    payload: unknown,
    origin: { principal: string; sourceArn?: string; lineage?: readonly string[] },
  ): void {
    requirePermission(this.#aws, this.#functions.select(functionArn).fn, origin);
    this.#queue.add(functionArn, payload, origin.lineage ?? []);
  }

  #loaderFor({ fn }: Selected): Loader {
    return this.#loaders.find(({ match }) => match(fn.name))?.loader ?? loadBundle;
  }
}
