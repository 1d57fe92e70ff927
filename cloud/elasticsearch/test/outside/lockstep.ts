import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that speaks one line of JSON at a time, and waits for a line on demand. */
export interface Lockstep {
  /** The next line; undefined when it has ended. */
  next<T = Record<string, unknown>>(): Promise<T | undefined>;
  tell(line: string): void;
  /** Ends it and returns its complaints. */
  end(): string[];
}

/** Starts a program and speaks with it line by line. */
export function lockstep(command: string, args: readonly string[]): Lockstep {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return {
    next: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    tell: (line) => void child.stdin.write(`${line}\n`),
    end: () => {
      child.kill();
      return errors === '' ? [] : [errors];
    },
  };
}
