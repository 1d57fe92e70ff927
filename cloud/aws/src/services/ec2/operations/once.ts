import type { Call } from '../../../account/service.ts';
import { ec2Error } from '../errors.ts';

export interface Idempotent {
  readonly ClientToken?: string;
}

/** A request with the token of an earlier one returns what that one made (API Reference, "Ensuring idempotency"). */
export function once<Input extends Idempotent, Output>(make: (input: Input, call: Call) => Output) {
  const made = new Map<string, { readonly request: string; readonly output: Output }>();
  return (input: Input, call: Call): Output => {
    const { ClientToken: token } = input;
    if (token === undefined) return make(input, call);
    const request = JSON.stringify(input);
    const before = made.get(token);
    if (before !== undefined && before.request !== request)
      throw ec2Error('IdempotentParameterMismatch', `The client token ${token} was used with other parameters`);
    const output = before?.output ?? make(input, call);
    made.set(token, { request, output });
    return output;
  };
}
