import { basicAuth, type Login, loginWith } from '@drover/adapters/elasticsearch/client';
import { TerminalError } from '@drover/core/errors';
import { loadOnce } from '@drover/core/load-once';
import { kibanaUser, superuser } from '@drover/core/names/search-cluster';
import type { NodeFacts } from './facts.ts';

export interface LoginOptions {
  readonly username: string;
  readonly password: string | undefined;
  readonly passwordSecret: string | undefined;
  /** From CLUSTER_CLI_PASSWORD. */
  readonly environmentPassword: string | undefined;
  facts(): Promise<NodeFacts>;
  /** The password in a stage of a secret; undefined when the stage is empty. */
  secret(id: string, stage: 'AWSCURRENT' | 'AWSPENDING' | 'AWSPREVIOUS'): Promise<string | undefined>;
  /** Try without a password first; it is fetched only when Elasticsearch asks for it. */
  readonly anonymousFirst: boolean;
}

/** The secret that the facts name for a user. */
export function secretOf(facts: NodeFacts, username: string): string | undefined {
  if (username === superuser) return facts.elasticSecret;
  if (username === facts.exporterUser) return facts.exporterSecret;
  return username === kibanaUser ? facts.kibanaSystemSecret : undefined;
}

/**
 * The ways to log in, in the promised order: option, secret, facts, environment. A secret has three: while a password
 * change is under way the pending version may be the one that works, and after one the version before it, in a cluster
 * that was restored. The current one is read once more, because the change may have ended between the two.
 */
export function resolveLogin(options: LoginOptions): Login {
  const { username } = options;
  const header = (password: string | undefined) => (password === undefined ? undefined : basicAuth(username, password));
  if (options.password !== undefined)
    return loginWith([async () => header(options.password)], { anonymousFirst: false });
  const source = loadOnce(() => findSource(options));
  const current = async () => {
    const found = await source();
    if ('password' in found) return header(found.password);
    return header(await options.secret(found.secretId, 'AWSCURRENT'));
  };
  const of = (stage: 'AWSPENDING' | 'AWSPREVIOUS') => async () => {
    const found = await source();
    return 'password' in found ? undefined : header(await options.secret(found.secretId, stage));
  };
  return loginWith([current, of('AWSPENDING'), current, of('AWSPREVIOUS')], { anonymousFirst: options.anonymousFirst });
}

type Source = { readonly secretId: string } | { readonly password: string };

async function findSource(options: LoginOptions): Promise<Source> {
  if (options.passwordSecret !== undefined) return { secretId: options.passwordSecret };
  const secretId = secretOf(await options.facts(), options.username);
  if (secretId !== undefined) return { secretId };
  if (options.environmentPassword !== undefined) return { password: options.environmentPassword };
  throw new TerminalError(`no password for user ${options.username}`, {
    remedy: 'give --password-secret ID or --password, set CLUSTER_CLI_PASSWORD, or run on a node with facts',
  });
}
