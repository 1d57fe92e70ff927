import type { Clock } from './clock.ts';
import { describeError } from './errors.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;

/** The log of a program. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The same log with fields that every line carries. */
  with(fields: LogFields): Logger;
}

interface LogTarget {
  readonly write: (line: string) => void;
  readonly level?: LogLevel;
}

const rank: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** One JSON object a line, for functions and services. */
export function jsonLogger(target: LogTarget & { readonly clock: Clock }): Logger {
  return logger(target.level ?? 'info', (level, message, fields) =>
    target.write(
      JSON.stringify({ time: new Date(target.clock.now()).toISOString(), level, message, ...fields }, fieldOf),
    ),
  );
}

/** Lines for people. */
export function terminalLogger(target: LogTarget & { readonly colour?: boolean }): Logger {
  const paint = (level: LogLevel, text: string) => (target.colour ? `${colours[level]}${text}\u001b[0m` : text);
  return logger(target.level ?? 'info', (level, message, fields) => {
    const label = level === 'info' ? '' : `${paint(level, level)}: `;
    const tail = Object.entries(fields).map(([key, value]) => ` ${key}=${asText(value)}`);
    target.write(`${label}${message}${tail.join('')}`);
  });
}

/** Says nothing. */
export const silentLogger: Logger = /* @__PURE__ */ logger('error', () => {});

const colours: Record<LogLevel, string> = {
  debug: '\u001b[90m',
  info: '',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};

function logger(least: LogLevel, emit: (level: LogLevel, message: string, fields: LogFields) => void): Logger {
  const withFields = (common: LogFields): Logger => {
    const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
      if (rank[level] >= rank[least]) emit(level, message, { ...common, ...fields });
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => withFields({ ...common, ...fields }),
    };
  };
  return withFields({});
}

/** Errors as text; and no `_aws`, the key by which CloudWatch would make metrics of a line (embedded metric format). */
function fieldOf(key: string, value: unknown): unknown {
  if (value instanceof Error) return describeError(value);
  return key === '_aws' ? undefined : value;
}

function asText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(describeError(value));
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? 'undefined';
}
