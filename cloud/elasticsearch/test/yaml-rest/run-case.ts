import { buildRequest, MissingParameter } from './api-table.ts';
import { assertions } from './assertions.ts';
import { checkStatus, checkWarnings, type Expectation } from './expected-answer.ts';
import type { Step, YamlCase } from './load-suite.ts';
import { Mismatch } from './mismatch.ts';
import { Skip, skipIfAsked } from './skip.ts';
import { Stash } from './stash.ts';
import type { NodeSelector, YamlTarget } from './yaml-target.ts';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Features of the official runner that this one has. */
export const runnerFeatures = [
  'allowed_warnings',
  'allowed_warnings_regex',
  'arbitrary_key',
  'catch_unauthorized',
  'close_to',
  'contains',
  'default_shards',
  'embedded_stash_key',
  'headers',
  'node_selector',
  'stash_in_key',
  'stash_in_path',
  'stash_path_replace',
  'transform_and_set',
  'warnings',
  'warnings_regex',
  'yaml',
];

/** Runs one case against a server that was wiped before. */
export async function runCase(test: YamlCase, target: YamlTarget): Promise<Outcome> {
  const run = new CaseRun(target);
  try {
    for (const step of [...test.setup, ...test.steps]) await run.step(step);
    return { kind: 'passed' };
  } catch (error) {
    if (error instanceof Skip) return { kind: 'skipped', reason: error.message };
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const step of test.teardown) await run.step(step).catch(() => {});
  }
}

class CaseRun {
  readonly #target: YamlTarget;
  readonly #stash = new Stash();

  constructor(target: YamlTarget) {
    this.#target = target;
  }

  async step(step: Step): Promise<void> {
    for (const [kind, argument] of Object.entries(step)) {
      if (kind === 'do') await this.#do(argument as Record<string, unknown>);
      else if (kind === 'skip') skipIfAsked(this.#target, argument as Parameters<typeof skipIfAsked>[1]);
      else if (kind === 'set') this.#stash.set(argument as Record<string, string>);
      else if (kind === 'transform_and_set') this.#stash.transform(argument as Record<string, string>);
      else this.#assert(kind, argument);
    }
  }

  #assert(kind: string, argument: unknown): void {
    const check = assertions[kind];
    if (check === undefined) throw new Mismatch(`the runner does not know the step ${kind}`);
    check(this.#stash, argument);
  }

  async #do(argument: Readonly<Record<string, unknown>>): Promise<void> {
    const { catch: caught, headers, node_selector: selector, ...rest } = argument;
    const { warnings, warnings_regex, allowed_warnings, allowed_warnings_regex, ...calls } = rest;
    const [api, args] = Object.entries(calls)[0] as [string, Record<string, unknown> | null];
    const expected: Expectation = {
      ...(caught === undefined ? {} : { catch: String(this.#stash.replace(caught)) }),
      ignore: args?.ignore,
      warnings,
      warnings_regex,
      allowed_warnings,
      allowed_warnings_regex,
    };
    const request = this.#build(api, args ?? {}, expected);
    if (request === undefined) return;
    const { method, target, body } = request;
    const sent = this.#stash.replace(headers ?? {}) as Record<string, string>;
    const answer = await this.#target.ask(method, target, body, sent, (selector ?? {}) as NodeSelector);
    this.#stash.answered(answer, method === 'HEAD');
    checkStatus(answer, expected, method);
    checkWarnings(answer, expected);
  }

  /** Undefined where the client would refuse the call and the case expects that. */
  #build(api: string, args: Readonly<Record<string, unknown>>, expected: Expectation) {
    try {
      return buildRequest(api, this.#stash.replace(args) as Record<string, unknown>);
    } catch (error) {
      if (expected.catch === 'param' && error instanceof MissingParameter) return undefined;
      throw error;
    }
  }
}
