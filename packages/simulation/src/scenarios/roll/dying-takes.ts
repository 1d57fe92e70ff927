import type { ProcessContext } from '@drover/cloud-machines';
import type { Io } from '@drover/cluster-cli';

const never = new Promise<never>(() => {});

/** At which calls runs die, one run after the other. */
export interface Deaths {
  readonly first: number;
  readonly step: number;
  /** Where the first, third and so on die; the others on the other side of their call. */
  readonly even: 'before' | 'after';
}

export function phaseOf({ even }: Deaths, turn: number): 'before' | 'after' {
  return (turn % 2 === 0) === (even === 'before') ? 'before' : 'after';
}

/**
 * Kills `cluster-cli node take-software` at one of its calls: to Elasticsearch, AWS, the programs and the service of its
 * host. Each run that it kills is followed by one that dies at a later call, before and after it in turn, until one comes
 * to its end.
 */
export class DyingTakes {
  /** The calls at which a run died. */
  readonly deaths: string[] = [];
  /** Whether runs die. */
  on = false;
  readonly #deaths: Deaths;

  constructor(deaths: Deaths) {
    this.#deaths = deaths;
  }

  readonly wrap = (io: Io, context: ProcessContext): Io => {
    if (!this.on || !context.argv.includes('take-software')) return io;
    const turn = this.deaths.length;
    const at = this.#deaths.first + turn * this.#deaths.step;
    const kill = () =>
      context.machine
        .processes()
        .find(({ pid }) => pid === context.pid)!
        .signal('SIGKILL');
    let calls = 0;
    const call = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
      if (calls++ !== at) return await act();
      this.deaths.push(name);
      if (phaseOf(this.#deaths, turn) === 'after') await act();
      kill();
      return await never;
    };
    const watched = <T extends object>(target: T, name: (key: string, first: unknown) => string): T =>
      new Proxy(target, {
        get: (object, key) => {
          const member = Reflect.get(object, key) as unknown;
          if (typeof member !== 'function') return member;
          return (...words: unknown[]) =>
            call(name(String(key), words[0]), async () => await Reflect.apply(member, object, words));
        },
      });
    return {
      ...io,
      exchange: (request) => call(`${request.method} ${request.path}`, () => io.exchange(request)),
      program: (path, words) => call(path, () => io.program!(path, words)),
      search: watched(io.search!, (key) => key),
      aws: watched(io.aws!, (service, operation) => `${service} ${String(operation)}`),
    };
  };
}
