import {
  authorityFunction,
  authorityEnvironment as env,
  kibanaUser,
  superuser,
} from '@drover/core/names/search-cluster';
import { CustomResource, RemovalPolicy } from 'aws-cdk-lib';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { ModuleFunction } from '../module-function.ts';
import { allow } from '../statements.ts';
import type { SearchClusterSettings } from './settings.ts';

/** Long enough that no character but letters and digits is needed, which every configuration file can hold. */
const passwordLength = 32;

/** Passwords, and the certificate authority that signs the nodes' certificates. */
export class ClusterSecrets extends Construct {
  readonly elastic: Secret;
  readonly kibanaSystem: Secret;
  /** Of an exporter's user other than the superuser. */
  readonly exporter: Secret | undefined;
  /** Of the token with which the web UI logs in. */
  readonly kibanaTokenArn: string | undefined;
  readonly caCertificateArn: string;
  readonly caKeyArn: string;
  /** Users of the certificate authority must depend on it. */
  readonly authority: CustomResource;

  constructor(scope: Construct, id: string, settings: SearchClusterSettings, logKey: Key) {
    super(scope, id);
    const { clusterName } = settings;
    this.elastic = this.#password('Elastic', superuser, clusterName);
    this.kibanaSystem = this.#password('KibanaSystem', kibanaUser, clusterName);
    this.exporter =
      settings.exporterUser === superuser ? undefined : this.#password('Exporter', settings.exporterUser, clusterName);
    this.kibanaTokenArn = settings.kibanaAuth === 'password' ? undefined : this.#token(clusterName);
    this.caCertificateArn = this.#empty('CaCertificate', `certificate of the authority of ${clusterName}`);
    this.caKeyArn = this.#empty('CaKey', `key of the authority of ${clusterName}`);
    this.authority = this.#authority(settings, logKey);
  }

  #password(id: string, user: string, clusterName: string): Secret {
    const secret = new Secret(this, id, {
      description: `password of ${user} of the search cluster ${clusterName}`,
      generateSecretString: { passwordLength, excludePunctuation: true },
    });
    acknowledge(secret, { SMG4: 'cluster-cli passwd changes it here and in Elasticsearch as one transaction' });
    return secret;
  }

  /** Filled by the masters. */
  #token(clusterName: string): string {
    const secret = new CfnSecret(this, 'KibanaToken', { description: `token of the web UI of ${clusterName}` });
    acknowledge(secret, { SMG4: 'a new token is made when this one is deleted or is no longer accepted' });
    return secret.ref;
  }

  /** Filled by the authority's function; retained with the stack deleted, because retained nodes still use it, but not when its creation fails. */
  #empty(id: string, description: string): string {
    const secret = new CfnSecret(this, id, { description });
    secret.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    acknowledge(secret, { SMG4: 'a new authority would split the cluster; its expiry is an alarm' });
    return secret.ref;
  }

  /** Creates the authority once. Its key is written by the function into the secret, and nowhere else. */
  #authority({ clusterName, resourceName }: SearchClusterSettings, logKey: Key): CustomResource {
    const secrets = [this.caCertificateArn, this.caKeyArn];
    const provider = new ModuleFunction(this, 'AuthorityFunction', {
      functionName: authorityFunction(resourceName),
      bundle: 'apps/functions/dist/certificate-authority',
      environment: { [env.certificate]: this.caCertificateArn, [env.key]: this.caKeyArn, [env.cluster]: clusterName },
      statements: [allow(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], secrets)],
      logKey,
    });
    return new CustomResource(this, 'Authority', {
      resourceType: 'Custom::CertificateAuthority',
      serviceToken: provider.fn.functionArn,
      properties: {
        CommonName: `${clusterName} node authority`,
        CertificateSecret: this.caCertificateArn,
        KeySecret: this.caKeyArn,
      },
    });
  }
}
