import { publicKeyXml } from '../actions-service/runner-keys.ts';
import { type Pipelines, Refused, Unreachable } from './ports.ts';

/** A request of the runner software. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly authorization: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface ServiceResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
  readonly body: any;
}

/** Sends requests; errors of the network and of the service itself are `Unreachable`. */
export function serviceClient(fetcher: typeof fetch, version: string) {
  return async ({ method, url, authorization, body, signal }: ServiceRequest): Promise<ServiceResponse> => {
    let response: Response;
    let text: string;
    try {
      response = await fetcher(url, {
        method,
        headers: { authorization, 'user-agent': `GitHubActionsRunner-linux-x64/${version}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      text = await response.text();
    } catch (error) {
      throw new Unreachable((error as Error).message, 'refused');
    }
    if (response.status >= 500)
      throw new Unreachable(`Response status code does not indicate success: ${response.status}`, 'unavailable');
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : {} };
  };
}

type Client = ReturnType<typeof serviceClient>;

/** The requests of `config.sh` to GitHub's API, the same on every machine (actions/runner, RunnerDotcomServer.cs). */
export function registrationOver(client: Client): Pick<Pipelines, 'register' | 'unregister'> {
  const ask = async (method: ServiceRequest['method'], url: string, token: string, body?: object) => {
    const response = await client({ method, url, authorization: `RemoteAuth ${token}`, ...(body && { body }) });
    if (response.status >= 400)
      throw new Refused(response.status, String(response.body.message ?? response.status), `${method} ${url}`);
    return response.body;
  };
  return {
    async register({ apiUrl, url, token, labels, noDefaultLabels, group, ...request }, keyIsMade) {
      const { name, replace, ephemeral, version, publicKey } = request;
      await ask('POST', `${apiUrl}/actions/runner-registration`, token, { url, runner_event: 'register' });
      keyIsMade();
      const level = `${apiUrl}/${levelPath(url)}/actions`;
      const { runner_groups: groups } = await ask('GET', `${level}/runner-groups`, token);
      const groupId = groupNamed(groups as readonly RunnerGroup[], group);
      if (groupId === undefined)
        throw new Refused(404, `Could not find any self-hosted runner group named "${group}".`);
      const { runners } = await ask('GET', `${level}/runners?name=${encodeURIComponent(name)}`, token);
      const [standing] = runners as readonly { readonly id: number }[];
      if (standing !== undefined && !replace) throw new Refused(409, `A runner exists with the same name ${name}.`);
      const given = (noDefaultLabels ? [] : ['self-hosted', 'Linux', 'X64']).map((own) => ({
        name: own,
        type: 'system',
      }));
      const body = await ask('POST', `${apiUrl}/actions/runners/register`, token, {
        url,
        group_id: groupId,
        name,
        version,
        updates_disabled: true,
        ephemeral,
        labels: [...given, ...labels.map((own) => ({ name: own, type: 'user' }))],
        public_key: publicKeyXml(publicKey),
        ...(standing === undefined ? {} : { runner_id: standing.id, replace: true }),
      });
      const { authorization_url, server_url, client_id } = body.authorization;
      const urls = { authorizationUrl: authorization_url, serverUrl: server_url };
      return { id: body.id, name: body.name, clientId: client_id, replaced: standing !== undefined, ...urls };
    },
    async unregister({ apiUrl, url, token, id }) {
      await ask('DELETE', `${apiUrl}/${levelPath(url)}/actions/runners/${id}`, token);
    },
  };
}

interface RunnerGroup {
  readonly id: number;
  readonly name: string;
  readonly default: boolean;
}

const groupNamed = (groups: readonly RunnerGroup[], name: string | undefined): number | undefined =>
  groups.find((group) => (name === undefined ? group.default : group.name.toLowerCase() === name.toLowerCase()))?.id;

/** `orgs/O`, `repos/O/R` or `enterprises/E`, from the page of the organisation, repository or enterprise. */
function levelPath(url: string): string {
  const path = new URL(url).pathname.replace(/^\/|\/$/g, '');
  if (path.startsWith('enterprises/')) return path;
  return path.includes('/') ? `repos/${path}` : `orgs/${path}`;
}
