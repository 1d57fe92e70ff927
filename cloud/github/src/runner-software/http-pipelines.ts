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
      throw new Unreachable((error as Error).message);
    }
    if (response.status >= 500)
      throw new Unreachable(`Response status code does not indicate success: ${response.status}`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : {} };
  };
}

type Client = ReturnType<typeof serviceClient>;

/** The requests of `config.sh` to GitHub's API, the same on every machine. */
export function registrationOver(client: Client): Pick<Pipelines, 'register' | 'unregister'> {
  const post = async (apiUrl: string, token: string, body: object) => {
    const url = `${apiUrl}/actions/runner-registration`;
    const authorization = `RemoteAuth ${token}`;
    const response = await client({ method: 'POST', url, authorization, body });
    if (response.status >= 400) throw new Refused(response.status, String(response.body.message ?? response.status));
    return response.body;
  };
  return {
    async register({ apiUrl, url, token, name, labels, noDefaultLabels, replace, ephemeral, group, version }) {
      const { id, client_id, replaced, ...given } = await post(apiUrl, token, {
        runner_event: 'register',
        url,
        name,
        labels,
        no_default_labels: noDefaultLabels,
        replace,
        ephemeral,
        version,
        ...(group === undefined ? {} : { runner_group: group }),
      });
      return { id, name: given.name, clientId: client_id, replaced };
    },
    async unregister({ apiUrl, token, id }) {
      await post(apiUrl, token, { runner_event: 'remove', id });
    },
  };
}
