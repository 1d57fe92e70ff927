import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import { never } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { type MetadataSource, metadataValues } from './metadata-paths.ts';

/** The caller of the metadata service. */
interface MetadataCaller {
  /** In a container: the response to a token request has one hop more to go. */
  readonly container: boolean;
}

const maxTokenSeconds = 21_600;
const maxTokens = 1_000;

/** The metadata service of one instance, version 2: "Use the Instance Metadata Service to access instance metadata". */
export class MetadataService {
  readonly #source: MetadataSource;
  readonly #random: Random;
  readonly #tokens = new Map<string, number>();

  constructor(source: MetadataSource, random: Random) {
    this.#source = source;
    this.#random = random;
  }

  async handle(request: HttpRequest, caller: MetadataCaller): Promise<HttpResponse> {
    if (request.method === 'PUT' && request.path === '/latest/api/token') return this.#issueToken(request, caller);
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'Method Not Allowed');
    if (!this.#tokenIsGood(request.headers['x-aws-ec2-metadata-token'])) return answer(401, 'Unauthorized');
    const content = this.#read(request.path);
    return content === undefined ? answer(404, 'Not Found') : answer(200, content);
  }

  /** The packet with the token dies on its way when it needs more hops than HttpPutResponseHopLimit. */
  #issueToken(request: HttpRequest, caller: MetadataCaller): HttpResponse | Promise<never> {
    if (caller.container && this.#source.instance.metadataOptions.hopLimit < 2) return never;
    if (request.headers['x-forwarded-for'] !== undefined) return answer(403, 'Forbidden');
    const ttl = request.headers['x-aws-ec2-metadata-token-ttl-seconds'] ?? '';
    if (!/^\d+$/.test(ttl) || Number(ttl) < 1 || Number(ttl) > maxTokenSeconds) return answer(400, 'Bad Request');
    this.#forgetTokens();
    const token = `AQAEA${this.#random.hex(51)}`;
    this.#tokens.set(token, this.#now + Number(ttl) * 1000);
    return {
      ...answer(200, token),
      headers: { 'content-type': 'text/plain', 'x-aws-ec2-metadata-token-ttl-seconds': ttl },
    };
  }

  get #now(): number {
    return this.#source.clock.now();
  }

  #tokenIsGood(token: string | undefined): boolean {
    if (token === undefined) return !this.#source.instance.metadataOptions.tokensRequired;
    return (this.#tokens.get(token) ?? 0) > this.#now;
  }

  #forgetTokens(): void {
    if (this.#tokens.size < maxTokens) return;
    for (const [token, endsAt] of this.#tokens) if (endsAt <= this.#now) this.#tokens.delete(token);
    if (this.#tokens.size >= maxTokens) this.#tokens.delete(this.#tokens.keys().next().value!);
  }

  #read(path: string): string | undefined {
    const [, version = '', rest = ''] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (version !== 'latest' && !/^\d{4}-\d{2}-\d{2}$/.test(version)) return undefined;
    const wanted = decoded(rest);
    if (wanted === undefined) return undefined;
    const values = metadataValues(this.#source);
    return values[wanted]?.() ?? this.#list(values, wanted);
  }

  /** A directory lists what is in it; directories in it end with a slash. */
  #list(values: ReturnType<typeof metadataValues>, directory: string): string | undefined {
    const prefix = directory === '' || directory.endsWith('/') ? directory : `${directory}/`;
    const names = new Set<string>();
    for (const [path, read] of Object.entries(values)) {
      if (!path.startsWith(prefix) || path === prefix || read() === undefined) continue;
      const [name, ...deeper] = path.slice(prefix.length).split('/');
      names.add(deeper.length > 0 ? `${name}/` : name!);
    }
    return names.size === 0 ? undefined : [...names].sort().join('\n');
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const answer = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain', server: 'EC2ws' },
  body,
});
