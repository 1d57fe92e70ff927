import { createHash } from 'node:crypto';

/**
 * The addresses of the Actions service. On github.com a host of its own, and another one for messages
 * (actions/actions-runner-controller issues 4154 and 4470); on ghe.com taken to be the same below its own name; on an
 * Enterprise Server on the appliance's host (actions/runner, ConfigurationManager.cs). Served on loopback everything is
 * at the address that the caller used.
 */
export class ServiceAddresses {
  /** Names to put on a network, beside that of the API. */
  readonly hosts: readonly string[];
  readonly #apiHost: string | undefined;
  readonly #enterprise: boolean;

  constructor(apiUrl: string) {
    const { protocol, hostname, pathname } = new URL(apiUrl);
    // Without TLS it is no name of GitHub's, but the loopback address of `drover local`.
    const served = protocol === 'http:';
    this.#apiHost = served ? undefined : hostname;
    this.#enterprise = pathname.startsWith('/api/v3');
    const domain = hostname === 'api.github.com' ? 'githubusercontent.com' : hostname.replace(/^api\./, '');
    this.hosts = this.#enterprise || served ? [] : [`pipelinesghubeus1.actions.${domain}`, `broker.actions.${domain}`];
  }

  /** The base of `_apis/…`; `host` is what the caller addressed. */
  service(host: string, tenant: string): string {
    if (!this.#isOwn(host)) return `http://${host}${appliancePath}/${tenant}/`;
    return this.#enterprise
      ? `https://${this.#apiHost}${appliancePath}/${tenant}/`
      : `https://${this.hosts[0]}/${tenant}/`;
  }

  messages(host: string, tenant: string, scaleSetId: number, sessionId: string): string {
    if (this.#enterprise)
      return `${this.service(host, tenant)}_apis/runtime/runnerscalesets/${scaleSetId}/messages?api-version=6.0-preview&sessionId=${sessionId}`;
    return this.#isOwn(host) ? `https://${this.hosts[1]}/scalesets/message` : `http://${host}/scalesets/message`;
  }

  /** Path within the service and the tenant that it names; undefined for what is no path of the service. */
  read(host: string, path: string): { readonly tenant: string | undefined; readonly path: string } | undefined {
    if (/^\/scalesets\/message(\/|$)/.test(path) && !this.#enterprise) return { tenant: undefined, path };
    const pattern = this.#enterprise || !this.#isOwn(host) ? /^\/_services\/pipelines\/([\w-]+)(\/_apis\/.*)$/ : hosted;
    const [, tenant, rest] = pattern.exec(path) ?? [];
    return rest === undefined ? undefined : { tenant, path: rest };
  }

  #isOwn(host: string): boolean {
    const name = host.split(':')[0]!;
    return name === this.#apiHost || this.hosts.includes(name);
  }
}

const appliancePath = '/_services/pipelines';
const hosted = /^\/([\w-]+)(\/_apis\/.*)$/;

/** Each organisation, repository and enterprise has a place of its own at the service. */
export const tenantOf = (level: string): string =>
  createHash('sha256').update(level.toLowerCase()).digest('base64url').slice(0, 40);
