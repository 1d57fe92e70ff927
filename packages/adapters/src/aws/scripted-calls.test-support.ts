import type { AwsCalls } from './calls/calls.ts';

export interface MadeCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Respond = (input: Readonly<Record<string, never>>, count: number) => unknown;

/** AWS as a table of responses by operation, and every call that was made. A response that is an Error is thrown. */
export function scriptedCalls(responses: Readonly<Record<string, Respond | object>>) {
  const made: MadeCall[] = [];
  const call = async (operation: string, input: Readonly<Record<string, never>>) => {
    const count = made.filter((one) => one.operation === operation).length;
    made.push({ operation, input });
    const script = responses[operation];
    if (script === undefined) throw new Error(`no response to ${operation} is given`);
    const response = typeof script === 'function' ? (script as Respond)(input, count) : script;
    if (response instanceof Error) throw response;
    return response;
  };
  const aws = new Proxy({}, { get: () => call }) as AwsCalls;
  return { aws, made };
}

/** An error as AWS returns it. */
export const awsError = (name: string, message = name): Error => Object.assign(new Error(message), { name });
