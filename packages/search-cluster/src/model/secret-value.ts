/** The password in a secret: the whole text, or the member `password` of a JSON object. */
export function passwordIn(secretValue: string): string {
  const document = asObject(secretValue);
  return typeof document?.password === 'string' ? document.password : secretValue;
}

/** The same secret with another password: a JSON object keeps its other members. */
export function withPassword(secretValue: string | undefined, password: string): string {
  const document = secretValue === undefined ? undefined : asObject(secretValue);
  return typeof document?.password === 'string' ? JSON.stringify({ ...document, password }) : password;
}

function asObject(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
