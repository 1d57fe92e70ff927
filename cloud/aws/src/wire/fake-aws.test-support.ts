import { type Clock, SeededRandom, VirtualClock } from '@drover/core';
import { notImplemented } from '../account/errors.ts';
import type { Caller } from '../account/service.ts';

interface Seen {
  readonly operation: string;
  readonly input: unknown;
  readonly caller: Caller;
}

/** An AWS whose operations, named `service.Operation`, are what a test says, so that only the wire is under test. */
export class FakeAws {
  readonly region = 'eu-west-1';
  readonly unlimited = true;
  readonly engine: { readonly clock: Clock; readonly random: SeededRandom };
  readonly seen: Seen[] = [];
  #operations: Readonly<Record<string, (input: never) => unknown>>;

  constructor(operations: Readonly<Record<string, (input: never) => unknown>>, clock: Clock = new VirtualClock()) {
    this.#operations = operations;
    this.engine = { clock, random: new SeededRandom(1) };
  }

  async call(service: string, name: string, input: unknown, caller: Caller): Promise<unknown> {
    const operation = `${service}.${name}`;
    this.seen.push({ operation, input, caller });
    const run = this.#operations[operation];
    if (run === undefined) throw notImplemented(service, name);
    return await run(input as never);
  }

  /** The input of the only call there was. */
  get onlyInput(): unknown {
    if (this.seen.length !== 1) throw new Error(`${this.seen.length} calls were seen, not one`);
    return this.seen[0]!.input;
  }
}

export const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' };
