import type { HttpHandler, HttpRequest } from './http.ts';

/** Where a connection starts from, for those who decide whether it gets through. */
export interface Origin {
  readonly kind: 'operator' | 'function' | 'machine' | 'task' | 'load-balancer';
  /** Function name, instance id, … */
  readonly name: string;
  readonly subnetIds?: readonly string[];
  /** The address it comes from, and the security groups of that interface: for who lets connections in by them. */
  readonly address?: string;
  readonly securityGroupIds?: readonly string[];
  /** The process that makes the call: a `kill` fault ends it. */
  readonly process?: KillableProcess;
}

export interface KillableProcess {
  kill(reason: string): void;
}

type Site = (request: HttpRequest, origin: Origin) => ReturnType<HttpHandler>;

/** Names and addresses of the embedded world. In-process clients reach every service through it. */
export class Network {
  #sites: { readonly matches: (host: string, origin: Origin) => boolean; readonly site: Site }[] = [];
  #barriers: ((request: HttpRequest, origin: Origin) => string | undefined)[] = [];

  /** Puts a site on the network; `host` is compared without the port. */
  register(host: string | RegExp | ((host: string, origin: Origin) => boolean), site: Site): void {
    const matches =
      typeof host === 'function'
        ? host
        : (name: string) => (typeof host === 'string' ? host === name : host.test(name));
    this.#sites.unshift({ matches, site });
  }

  /** A barrier returns why a connection cannot get through, or undefined. Such a connection hangs as packets without a route do. */
  addBarrier(barrier: (request: HttpRequest, origin: Origin) => string | undefined): void {
    this.#barriers.push(barrier);
  }

  /** Whether a name means something to `origin`: what its resolver says. */
  resolves(host: string, origin: Origin): boolean {
    return this.#site(host, origin) !== undefined;
  }

  #site(host: string, origin: Origin): Site | undefined {
    return this.#sites.find(({ matches }) => matches(host, origin))?.site;
  }

  /** The network as seen from `origin`. */
  from(origin: Origin): HttpHandler {
    return async (request) => {
      for (const barrier of this.#barriers) if (barrier(request, origin) !== undefined) return await never;
      const name = hostName(request.host);
      const site = this.#site(name, origin);
      if (site === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
      return await site(request, origin);
    };
  }
}

/** No response, ever: the caller's own timeout ends the wait. */
export const never: Promise<never> = {
  // biome-ignore lint/suspicious/noThenProperty: a promise proper would keep its waiters, and all of their world, in memory
  then: () => new Promise<never>(() => {}),
  catch: () => never,
  finally: () => never,
  [Symbol.toStringTag]: 'Promise',
};

const hostName = (host: string) => (host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':')[0]!);
