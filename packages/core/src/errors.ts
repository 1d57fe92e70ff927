/** Facts that an error may carry besides its message. */
export interface DroverErrorOptions extends ErrorOptions {
  /** A remedy for the operator. */
  readonly remedy?: string;
}

/** Base of every error that Drover throws on purpose. */
export abstract class DroverError extends Error {
  readonly remedy: string | undefined;

  constructor(message: string, options: DroverErrorOptions = {}) {
    super(message, options);
    this.remedy = options.remedy;
  }
}

/** Trying again will not help: an operator has to change something. */
export class TerminalError extends DroverError {
  /** Written out, also for those that extend it: a bundle has shorter names for classes, and Lambda logs this one. */
  override readonly name: string = 'TerminalError';
}

/** May go through later, unchanged. */
export class TransientError extends DroverError {
  override readonly name: string = 'TransientError';
  /** How long the other side asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: DroverErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The remedy of an error, also of one that another bundle of Drover threw, whose classes are not ours. */
export function remedyOf(error: unknown): string | undefined {
  const { remedy } = (error ?? {}) as { readonly remedy?: unknown };
  return error instanceof Error && typeof remedy === 'string' ? remedy : undefined;
}

/** The message of anything that was thrown, with the messages of its causes. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error, depth = 0; at !== undefined && depth < 5; depth++) {
    const part = at instanceof Error ? at.message || at.name : String(at);
    // An error that repeats its cause says it once.
    if (parts.every((said) => !said.includes(part))) parts.push(part);
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(': ');
}
