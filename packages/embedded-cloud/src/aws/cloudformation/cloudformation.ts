import type { Aws, AwsService } from '../aws.ts';
import type { Operations, ResourceProvider, ResourceProviders } from '../service.ts';
import { createAndDeleteOperations } from './operations/create-and-delete.ts';
import { describeOperations } from './operations/describe.ts';
import { acceptedProvider } from './spec/accepted-resource.ts';
import { Stacks } from './stacks.ts';

/** How long a resource takes beyond what its provider takes: enough to see stacks in progress, too little to wait for. */
const resourceDelayMs = 250;

/** Stacks: templates become resources of the other services. */
export class CloudFormation implements AwsService {
  readonly operations: Operations;
  readonly resources: ResourceProviders = {};
  readonly stacks: Stacks;
  protected readonly aws: Aws;
  readonly #accepted: ResourceProvider;

  constructor(aws: Aws) {
    this.aws = aws;
    this.#accepted = acceptedProvider(aws);
    this.stacks = new Stacks({
      scope: aws,
      zones: aws.zones,
      clock: aws.engine.clock,
      random: aws.engine.random.fork('cloudformation'),
      journal: aws.engine.journal,
      resourceDelayMs,
      dynamic: {
        secret: (id, options) => aws.secretsmanager.resolve(id, options),
        parameter: (name) => aws.ssm.parameter(name),
      },
      providerFor: (type) => this.behaviourOf(type) ?? this.#accepted,
    });
    const read = (bucket: string, key: string) => aws.s3.getObject(bucket, key);
    this.operations = {
      ...createAndDeleteOperations(aws, this.stacks, read),
      ...describeOperations(aws, this.stacks),
    };
  }

  /** The provider of a type that does more than being accepted. */
  behaviourOf(type: string): ResourceProvider | undefined {
    for (const service of Object.values(this.aws.services)) {
      const provider = service.resources[type];
      if (provider !== undefined) return provider;
    }
    return undefined;
  }
}
