import type { RequestContext } from './context.ts';
import { type Pattern, type PatternPart, patternOf, wildcardParts } from './wildcard.ts';

/** Text of a policy in which `${key}` stands for a value of the request. */
export interface VariableText {
  /** The condition keys of which it needs the value. */
  readonly keys: readonly string[];
  /** Undefined when the request lacks a value that the text needs: nothing matches then. */
  resolve(context: RequestContext): Pattern | undefined;
  /** The text with its values, wildcards as they are written. */
  text(context: RequestContext): string | undefined;
}

const variable = /\$\{([^}]*)\}/;
const form = /^([A-Za-z0-9-]+:[^,]+?)(?:,\s*'([^']*)')?$/;

/**
 * Compiles text with policy variables. They work only in policies of version 2012-10-17; in older ones they are plain text.
 * See "IAM policy elements: Variables and tags" in the IAM user guide.
 */
export function variableText(text: string, withVariables: boolean, refuse: (why: string) => never): VariableText {
  const pieces = withVariables ? text.split(variable) : [text];
  if (pieces.length === 1) return constantText(text);
  const parts = pieces.map((piece, index) => (index % 2 === 0 ? wildcardParts(piece) : placeholder(piece, refuse)));
  return {
    keys: parts.flatMap((part) => (Array.isArray(part) ? [] : [part.key])),
    resolve: (context) => {
      const resolved = resolveParts(parts, context);
      return resolved === undefined ? undefined : patternOf(resolved);
    },
    text: (context) =>
      resolveParts(parts, context)
        ?.map((part) => (typeof part === 'string' ? part : part.description!))
        .join(''),
  };
}

function constantText(text: string): VariableText {
  const constant = patternOf(wildcardParts(text));
  return { keys: [], resolve: () => constant, text: () => text };
}

interface Placeholder {
  readonly key: string;
  readonly fallback: string | undefined;
}

function placeholder(inner: string, refuse: (why: string) => never): Placeholder | PatternPart[] {
  // ${*}, ${?} and ${$} are the characters themselves.
  if (inner === '*' || inner === '?' || inner === '$') return [inner];
  const parsed = form.exec(inner);
  if (parsed === null) refuse(`policy variable \${${inner}} has an unknown form`);
  return { key: parsed![1]!, fallback: parsed![2] };
}

function resolveParts(
  parts: readonly (Placeholder | PatternPart[])[],
  context: RequestContext,
): PatternPart[] | undefined {
  const resolved: PatternPart[] = [];
  for (const part of parts) {
    if (Array.isArray(part)) resolved.push(...part);
    else {
      const values = context.get(part.key);
      // A key with several values cannot be a variable.
      const value = values?.length === 1 ? values[0] : part.fallback;
      if (value === undefined) return undefined;
      resolved.push(value);
    }
  }
  return resolved;
}
