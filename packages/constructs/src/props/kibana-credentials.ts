import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/**
 * How Kibana logs in to its cluster. Only the secrets are named in the template, never their values.
 *
 * @example
 * ```ts
 * KibanaCredentials.fromSecretIds('arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf');
 * ```
 */
export class KibanaCredentials {
  /** Secret with the password of kibana_system. */
  readonly systemSecretId: string;
  /** Secret with a token of the service account, if there is one. */
  readonly tokenSecretId: string | undefined;

  /**
   * Secrets of the app.
   *
   * @param systemSecret - secret with the password of kibana_system
   * @param tokenSecret - secret with a token of the service account elastic/kibana, to log in with instead of the password
   */
  static fromSecrets(systemSecret: ISecret, tokenSecret?: ISecret): KibanaCredentials {
    return new KibanaCredentials(systemSecret.secretArn, tokenSecret?.secretArn);
  }

  /**
   * Secrets that are known by their ids: the outputs kibana_system_secret_id and kibana_token_secret_id of a cluster.
   *
   * @param systemSecretId - Allowed: the ARN of a secret (arn:aws:secretsmanager:…:secret:…)
   * @param tokenSecretId - Allowed: the ARN of a secret (arn:aws:secretsmanager:…:secret:…)
   */
  static fromSecretIds(systemSecretId: string, tokenSecretId?: string): KibanaCredentials {
    return new KibanaCredentials(systemSecretId, tokenSecretId);
  }

  private constructor(systemSecretId: string, tokenSecretId: string | undefined) {
    this.systemSecretId = systemSecretId;
    this.tokenSecretId = tokenSecretId;
  }
}

/** The inputs that credentials stand for. */
export interface KibanaInputs {
  readonly kibanaSystemSecretId: string;
  /** Secret with a token of the service account elastic/kibana, to log in with instead of the password. */
  readonly kibanaTokenSecretId?: string | undefined;
}

/** Names of these inputs in messages about props. */
export const kibanaNames = {
  kibana_system_secret_id: 'credentials.systemSecretId',
  kibana_token_secret_id: 'credentials.tokenSecretId',
} as const;

export const kibanaInputs = (credentials: KibanaCredentials | undefined): Partial<KibanaInputs> => ({
  kibanaSystemSecretId: credentials?.systemSecretId,
  kibanaTokenSecretId: credentials?.tokenSecretId,
});
