import { DroverError, describeError } from '@drover/core';

/** The fields of a log line about a failure: what happened, and what to do where that is known. */
export function failureFields(error: unknown): { readonly error: string; readonly remedy?: string } {
  const remedy = error instanceof DroverError ? error.remedy : undefined;
  return { error: describeError(error), ...(remedy === undefined ? {} : { remedy }) };
}
