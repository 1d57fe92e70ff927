import type { AwsNeighbours } from '../account/neighbours.ts';
import type { AwsService, Operations, ResourceProvider, ResourceProviders } from '../account/service.ts';
import { qualifier } from './bootstrap.ts';
import { ChangeSets } from './change-sets.ts';
import { changeSetOperations } from './operations/change-sets.ts';
import { createAndDeleteOperations } from './operations/create-and-delete.ts';
import { describeOperations } from './operations/describe.ts';
import { templateOperations } from './operations/templates.ts';
import { updateOperations } from './operations/update.ts';
import { customResourceProvider } from './resources/custom-resource.ts';
import { ResponseInbox } from './resources/response-inbox.ts';
import { acceptedProvider } from './spec/accepted-resource.ts';
import { Stacks } from './state.ts';

/** How long a resource takes beyond what its provider takes: enough to see stacks in progress, too little to wait for. */
const resourceDelayMs = 250;

/** The parameter of a bootstrapped account, so that templates of the CDK find it (CDK Guide, "Bootstrapping"). */
const bootstrapVersion = { parameter: `/cdk-bootstrap/${qualifier}/version`, value: '30' };

/** Stacks: templates become resources of the other services. */
export class CloudFormation implements AwsService {
  readonly operations: Operations;
  readonly resources: ResourceProviders;
  readonly responses: ResponseInbox;
  readonly stacks: Stacks;
  protected readonly aws: AwsNeighbours;
  readonly #accepted: ResourceProvider;
  readonly #custom: ResourceProvider;

  constructor(aws: AwsNeighbours) {
    this.aws = aws;
    const { clock } = aws.engine;
    const random = aws.engine.random.fork('cloudformation');
    this.responses = new ResponseInbox(aws.s3, aws, clock, aws.iam.rootCredentials);
    this.#accepted = acceptedProvider(aws, (namespace) => this.#isModelled(namespace));
    this.#custom = customResourceProvider({ inbox: this.responses, lambda: aws.lambda, random });
    this.resources = { 'AWS::CloudFormation::CustomResource': this.#custom };
    this.stacks = new Stacks({
      scope: aws,
      zones: aws.zones,
      clock,
      random,
      journal: aws.engine.journal,
      resourceDelayMs,
      dynamic: {
        secret: (id, options) => aws.secretsmanager.resolve(id, options),
        parameter: (name) => aws.ssm.parameter(name),
      },
      providerFor: (type) => this.behaviourOf(type) ?? this.#accepted,
    });
    aws.ssm.setParameter(bootstrapVersion.parameter, bootstrapVersion.value);
    const read = (bucket: string, key: string) => aws.s3.getObject(bucket, key);
    const changeSets = new ChangeSets(this.stacks);
    this.operations = {
      ...createAndDeleteOperations(aws, this.stacks, read),
      ...updateOperations(aws, this.stacks, read),
      ...changeSetOperations(aws, this.stacks, changeSets, read),
      ...templateOperations(aws, this.stacks, changeSets, read),
      ...describeOperations(aws, this.stacks),
    };
  }

  /** The provider of a type that does more than being accepted. */
  behaviourOf(type: string): ResourceProvider | undefined {
    return type.startsWith('Custom::') ? this.#custom : this.aws.resources[type];
  }

  /** Whether a service has types of this namespace (`AWS::SNS`). */
  #isModelled(namespace: string): boolean {
    return Object.keys(this.aws.resources).some((type) => type.startsWith(`${namespace}::`));
  }
}
