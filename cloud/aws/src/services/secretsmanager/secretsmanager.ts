import type { AwsNeighbours, SecretsManagerNeighbour } from '../../account/neighbours.ts';
import type { AwsService, Operations, ResourceProviders } from '../../account/service.ts';
import { invalidParameter } from './model.ts';
import { createSecret } from './operations/create.ts';
import { describeOperations } from './operations/describe.ts';
import { lifecycleOperations } from './operations/lifecycle.ts';
import { selectVersion, valueOperations } from './operations/value.ts';
import { secretResources } from './resources.ts';
import { SecretStore } from './state.ts';

/** AWS Secrets Manager. Values never reach the journal. */
export class SecretsManager implements AwsService, SecretsManagerNeighbour {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly #store: SecretStore;

  constructor(aws: AwsNeighbours) {
    this.#store = new SecretStore(aws, aws.engine, (keyId) => aws.kms.arnOf(keyId));
    this.operations = {
      CreateSecret: createSecret(this.#store),
      ...valueOperations(this.#store),
      ...describeOperations(this.#store),
      ...lifecycleOperations(this.#store),
    };
    this.resources = secretResources(this.#store);
    aws.iam.registerResourcePolicies('secretsmanager', (arn) => {
      const document = this.#store.find(arn)?.policy;
      return document === undefined ? undefined : { document };
    });
  }

  /** The names of all secrets that can be read, for consoles and checkers. */
  get names(): readonly string[] {
    return [...this.#store.secrets.values()].filter(({ deletedAt }) => deletedAt === undefined).map(({ name }) => name);
  }

  resolve(secretId: string, options: { jsonKey?: string; versionStage?: string; versionId?: string }): string {
    const version = selectVersion(this.#store.usable(secretId), {
      VersionId: options.versionId,
      VersionStage: options.versionStage,
    });
    const text = version.value.SecretString ?? '';
    if (options.jsonKey === undefined) return text;
    const value = (JSON.parse(text) as Record<string, unknown>)[options.jsonKey];
    if (value === undefined) throw invalidParameter(`Could not find key ${options.jsonKey} in secret ${secretId}.`);
    return String(value);
  }
}
