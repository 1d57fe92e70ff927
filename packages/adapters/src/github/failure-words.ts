/** The platform's own words in a response that is no success: its message with details and page, or whatever came. */
export function platformWords(text: string): string {
  const { message, errors, documentation_url: page } = parsed(text);
  if (typeof message !== 'string') return text;
  const details = Array.isArray(errors) ? `: ${errors.map((error) => JSON.stringify(error)).join(', ')}` : '';
  return `${message}${details}${typeof page === 'string' ? ` - ${page}` : ''}`;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as Readonly<Record<string, unknown>> | null) ?? {};
  } catch {
    return {};
  }
}

/** Why there was no response. `fetch` hides the reason in its cause, and a refused connection has only a code. */
export function networkWords(error: unknown): string {
  const { name, cause } = error as Error;
  const { message, code } = (name === 'TypeError' && cause instanceof Error ? cause : error) as NodeJS.ErrnoException;
  return message || code || 'unknown network error';
}
