import { invalidParameter, type LineMatcher } from './model.ts';

/**
 * Compiles a filter pattern: one term, quoted or not; several, each behind a `?`, of which one must be there; or
 * `{ $.field = "value" }` for JSON lines. Everything else is refused. (CloudWatch Logs User Guide, "Filter pattern syntax
 * for metric filters, subscription filters, filter log events, and Live Tail".)
 */
export function compileFilter(pattern: string): LineMatcher {
  const text = pattern.trim();
  const [, field, value] = /^\{\s*\$\.(\w+)\s*=\s*("(?:[^"\\]|\\.)*")\s*\}$/.exec(text) ?? [];
  if (field !== undefined) return jsonFilter(field, unquoted(value!));
  if (anyOf.test(text)) {
    const terms = [...text.matchAll(oneOf)].map(([, term]) => unquoted(term!));
    return (message) => terms.some((term) => message.includes(term));
  }
  if (!/^("([^"\\]|\\.)*"|[\w./:-]*)$/.test(text) || text.startsWith('-'))
    throw invalidParameter(`the embedded cloud does not model the filter pattern ${text}`);
  const term = unquoted(text);
  return (message) => message.includes(term);
}

const oneOf = /\?("(?:[^"\\]|\\.)*"|[\w./:-]+)/g;
const anyOf = new RegExp(`^${oneOf.source}(?:\\s+${oneOf.source})*$`);

const unquoted = (text: string) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text);

const jsonFilter =
  (field: string, wanted: string): LineMatcher =>
  (message) => {
    if (!message.trimStart().startsWith('{')) return false;
    try {
      return (JSON.parse(message) as Record<string, unknown>)[field] === wanted;
    } catch {
      return false;
    }
  };
