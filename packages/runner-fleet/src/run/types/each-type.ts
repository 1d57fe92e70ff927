import { describeError, type Logger, remedyOf, TerminalError, TransientError } from '@drover/core';
import { failureFields } from '../failure-fields.ts';

/** The work of one type in a pass over all of them. */
export interface TypeWork {
  readonly type: string;
  run(): Promise<void>;
}

/** The types could not be read: the work of the default type is done all the same. */
export const unknownTypes = (error: unknown): TypeWork => ({ type: 'unknown', run: () => Promise.reject(error) });

/** Does the work of all types at once. One that fails keeps no other from its work; in the end one error names those that failed. */
export async function eachType(log: Logger, works: readonly TypeWork[]): Promise<void> {
  const failures: { readonly type: string; readonly error: unknown }[] = [];
  await Promise.all(
    works.map(async ({ type, run }) => {
      try {
        await run();
      } catch (error) {
        log.error('the pass of a type failed', { type, ...failureFields(error) });
        failures.push({ type, error });
      }
    }),
  );
  const [first] = failures;
  if (first === undefined) return;
  const message = failures.map(({ type, error }) => `type ${type}: ${describeError(error)}`).join('; ');
  const remedy = failures.map(({ error }) => remedyOf(error)).find((found) => found !== undefined);
  const Kind = failures.every(({ error }) => error instanceof TransientError) ? TransientError : TerminalError;
  throw new Kind(message, { cause: first.error, ...(remedy === undefined ? {} : { remedy }) });
}
