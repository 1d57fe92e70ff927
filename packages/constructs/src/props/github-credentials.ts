import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/**
 * How a fleet authenticates at GitHub: by a token, or by a GitHub App. Only the secret is named in the template, never its value.
 *
 * @example
 * ```ts
 * GitHubCredentials.appFromArn('4711', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-key-AbCdEf');
 * ```
 */
export class GitHubCredentials {
  /** Secret with a token, unless an app authenticates. */
  readonly tokenSecretArn: string | undefined;
  /** Id of the GitHub App, unless a token authenticates. */
  readonly appId: string | undefined;
  /** Secret with the private key of the app. */
  readonly appPemSecretArn: string | undefined;

  /**
   * A personal access token (classic) that has the scope admin:org, for a repository repo, for an enterprise manage_runners:enterprise.
   *
   * @param secret - secret with the token
   */
  static token(secret: ISecret): GitHubCredentials {
    return GitHubCredentials.tokenFromArn(secret.secretArn);
  }

  /**
   * A token as for `token`, in a secret that is known by its ARN.
   *
   * @param secretArn - Allowed: the ARN of a secret (arn:aws:secretsmanager:…:secret:…)
   */
  static tokenFromArn(secretArn: string): GitHubCredentials {
    return new GitHubCredentials(secretArn, undefined, undefined);
  }

  /**
   * A GitHub App.
   *
   * @param appId - id of the GitHub App. Allowed: digits
   * @param privateKey - secret with the private key of the GitHub App (PEM)
   */
  static app(appId: string, privateKey: ISecret): GitHubCredentials {
    return GitHubCredentials.appFromArn(appId, privateKey.secretArn);
  }

  /**
   * A GitHub App whose key is in a secret that is known by its ARN.
   *
   * @param appId - id of the GitHub App. Allowed: digits
   * @param privateKeyArn - Allowed: the ARN of a secret (arn:aws:secretsmanager:…:secret:…)
   */
  static appFromArn(appId: string, privateKeyArn: string): GitHubCredentials {
    return new GitHubCredentials(undefined, appId, privateKeyArn);
  }

  private constructor(
    tokenSecretArn: string | undefined,
    appId: string | undefined,
    appPemSecretArn: string | undefined,
  ) {
    this.tokenSecretArn = tokenSecretArn;
    this.appId = appId;
    this.appPemSecretArn = appPemSecretArn;
  }
}

/** The inputs that credentials stand for: a token, or both of an app. */
export interface CredentialInputs {
  /** Secret with a personal access token (classic) that has the scope admin:org, for a repository repo, for an enterprise manage_runners:enterprise. */
  readonly platformTokenSecretArn?: string | undefined;
  /** Id of the GitHub App that authenticates, instead of a token. */
  readonly platformAppId?: string | undefined;
  /** Secret with the private key of the GitHub App (PEM). */
  readonly platformAppPemSecretArn?: string | undefined;
}

/** Names of these inputs in messages about props. */
export const credentialNames = {
  platform_token_secret_arn: 'GitHubCredentials.token',
  platform_app_id: 'GitHubCredentials.app',
  platform_app_pem_secret_arn: 'GitHubCredentials.app',
} as const;

export const credentialInputs = (credentials: GitHubCredentials | undefined): CredentialInputs => ({
  platformTokenSecretArn: credentials?.tokenSecretArn,
  platformAppId: credentials?.appId,
  platformAppPemSecretArn: credentials?.appPemSecretArn,
});

/** Inputs that were checked have a token, or both of an app. */
export const credentialsFrom = (inputs: CredentialInputs): GitHubCredentials =>
  inputs.platformTokenSecretArn === undefined
    ? GitHubCredentials.appFromArn(inputs.platformAppId!, inputs.platformAppPemSecretArn!)
    : GitHubCredentials.tokenFromArn(inputs.platformTokenSecretArn);
