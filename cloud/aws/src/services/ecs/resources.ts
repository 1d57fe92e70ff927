import { arn } from '../../account/arn.ts';
import { AwsError, ResourceFailure } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { ResourceProperties, ResourceProvider, ResourceProviders } from '../../account/service.ts';
import { invalid, type Service, type TaskDefinition } from './model.ts';
import { isSteady, reconcileEveryMs } from './reconcile.ts';
import type { Containers } from './state.ts';

/** A stack waits for a service to be steady for up to three hours. (Template Reference, "AWS::ECS::Service".) */
const steadyWithinMs = 3 * 3_600_000;

/** The resource types of ECS that templates may use. */
export const ecsResources = (aws: AwsNeighbours, containers: Containers): ResourceProviders => ({
  'AWS::ECS::Cluster': clusterResource(aws, containers),
  'AWS::ECS::TaskDefinition': taskDefinitionResource(aws, containers),
  'AWS::ECS::Service': serviceResource(aws, containers),
});

const clusterResource = (aws: AwsNeighbours, { clusters }: Containers): ResourceProvider => ({
  create: ({ properties, generateName }) => {
    const name: string = properties.ClusterName ?? generateName(255);
    clusters.add(name);
    return { physicalId: name, attributes: { Arn: arn(aws, 'ecs', `cluster/${name}`) } };
  },
  update: ({ physicalId }) => ({ physicalId, attributes: { Arn: arn(aws, 'ecs', `cluster/${physicalId}`) } }),
  delete: ({ physicalId }) => void clusters.delete(physicalId),
});

/** Memory in MiB that Fargate has for each CPU value: from, to and step. (Developer Guide, "Task definition parameters for Fargate".) */
const fargateMemory: Readonly<Record<string, readonly [number, number, number]>> = {
  256: [512, 2048, 512],
  512: [1024, 4096, 1024],
  1024: [2048, 8192, 1024],
  2048: [4096, 16_384, 1024],
  4096: [8192, 30_720, 1024],
  8192: [16_384, 61_440, 4096],
  16384: [32_768, 122_880, 8192],
};

/** 512 MiB, then 1024 and 2048: the smallest size has no step of 1536. */
function requireFargateSize({ Cpu, Memory, RequiresCompatibilities }: ResourceProperties): void {
  if (!(RequiresCompatibilities ?? []).includes('FARGATE')) return;
  const [from, to, step] = fargateMemory[String(Cpu)] ?? [1, 0, 1];
  const memory = Number(Memory);
  const fits = memory >= from && memory <= to && (memory - from) % step === 0 && memory !== 1536;
  if (!fits) throw new AwsError('ClientException', 'No Fargate configuration exists for given values.');
}

const taskDefinitionResource = (aws: AwsNeighbours, { definitions }: Containers): ResourceProvider => ({
  create: ({ properties, generateName }) => {
    requireFargateSize(properties);
    const family: string = properties.Family ?? generateName(255).replaceAll('-', '');
    const revision = 1 + [...definitions.values()].filter((each) => each.family === family).length;
    const definition: TaskDefinition = {
      arn: arn(aws, 'ecs', `task-definition/${family}:${revision}`),
      family,
      revision,
      cpu: String(properties.Cpu),
      memory: String(properties.Memory),
      executionRoleArn: properties.ExecutionRoleArn,
      taskRoleArn: properties.TaskRoleArn,
      containers: properties.ContainerDefinitions ?? [],
    };
    definitions.set(definition.arn, definition);
    return { physicalId: definition.arn, attributes: { TaskDefinitionArn: definition.arn } };
  },
  // Kept, as "inactive" ones are: services that run it go on.
  delete: () => {},
});

function serviceResource(aws: AwsNeighbours, containers: Containers): ResourceProvider {
  const attributes = ({ arn: ServiceArn, name: Name }: Service) => ({ ServiceArn, Name });
  return {
    create: async ({ properties, generateName, signal }) => {
      const clusterName = String(properties.Cluster ?? 'default')
        .split('/')
        .at(-1)!;
      const service = containers.createService(
        properties.ServiceName ?? generateName(255),
        clusterName,
        settings(aws, containers, properties),
      );
      await untilSteady(aws, service, signal);
      return { physicalId: service.arn, attributes: attributes(service) };
    },
    update: async ({ physicalId, properties, signal }) => {
      const service = containers.service(physicalId);
      containers.deploy(service, settings(aws, containers, properties));
      await untilSteady(aws, service, signal);
      return { physicalId, attributes: attributes(service) };
    },
    delete: ({ physicalId }) => containers.removeService(physicalId),
  };
}

/** The settings of a service in a template. */
function settings(aws: AwsNeighbours, containers: Containers, properties: ResourceProperties) {
  const network = properties.NetworkConfiguration?.AwsvpcConfiguration ?? {};
  const deployment = properties.DeploymentConfiguration ?? {};
  if ((network.Subnets ?? []).length === 0)
    throw invalid("Network Configuration must be provided when networkMode 'awsvpc' is specified.");
  for (const id of network.Subnets)
    if (aws.ec2.vpcOfSubnet(id) === undefined) throw invalid(`The subnet ID '${id}' does not exist`);
  return {
    definition: containers.definition(properties.TaskDefinition),
    desiredCount: Number(properties.DesiredCount ?? 1),
    subnetIds: network.Subnets ?? [],
    securityGroupIds: network.SecurityGroups ?? [],
    balancers: ((properties.LoadBalancers ?? []) as ResourceProperties[]).map((each) => ({
      targetGroupArn: each.TargetGroupArn,
      containerPort: Number(each.ContainerPort),
    })),
    minimumHealthyPercent: Number(deployment.MinimumHealthyPercent ?? 100),
    maximumPercent: Number(deployment.MaximumPercent ?? 200),
    graceSeconds: Number(properties.HealthCheckGracePeriodSeconds ?? 0),
  };
}

async function untilSteady(aws: AwsNeighbours, service: Service, signal: AbortSignal | undefined): Promise<void> {
  const { clock } = aws.engine;
  const deadline = clock.now() + steadyWithinMs;
  while (!isSteady(aws, service)) {
    if (signal?.aborted || clock.now() >= deadline)
      throw new ResourceFailure(`Resource ${service.arn} did not stabilize`, service.arn);
    await clock.sleep(reconcileEveryMs);
  }
}
