import type { DescribeServicesCommandInput, UpdateServiceCommandInput } from '@aws-sdk/client-ecs';
import { arn } from '../../account/arn.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { Operations } from '../../account/service.ts';
import { isAlive, noCluster, type Service } from './model.ts';
import { isSteady } from './reconcile.ts';
import type { Containers } from './state.ts';

/** Operations for operators, and new deployments. */
export const ecsOperations = (aws: AwsNeighbours, containers: Containers): Operations => {
  const clusterArn = (cluster: string | undefined) => arn(aws, 'ecs', `cluster/${clusterNameOf(cluster)}`);
  const serviceArn = (cluster: string | undefined, service: string | undefined) =>
    service?.startsWith('arn:') ? service : arn(aws, 'ecs', `service/${clusterNameOf(cluster)}/${service}`);
  const requireCluster = (cluster: string | undefined) => {
    if (!containers.clusters.has(clusterNameOf(cluster))) throw noCluster();
  };
  return {
    DescribeServices: {
      permissions: (input: DescribeServicesCommandInput) =>
        (input.services ?? []).map((service) => ({
          action: 'ecs:DescribeServices',
          resource: serviceArn(input.cluster, service),
        })),
      run: (input: DescribeServicesCommandInput) => {
        requireCluster(input.cluster);
        const asked = (input.services ?? []).map((service) => serviceArn(input.cluster, service));
        return {
          services: asked.flatMap((one) => {
            const service = containers.services.get(one);
            return service === undefined ? [] : [serviceShape(aws, service, clusterArn(input.cluster))];
          }),
          failures: asked
            .filter((one) => !containers.services.has(one))
            .map((one) => ({ arn: one, reason: 'MISSING' })),
        };
      },
    },
    UpdateService: {
      permissions: (input: UpdateServiceCommandInput) => [
        { action: 'ecs:UpdateService', resource: serviceArn(input.cluster, input.service) },
      ],
      run: (input: UpdateServiceCommandInput) => {
        requireCluster(input.cluster);
        const service = containers.service(input.service, input.cluster);
        if (input.forceNewDeployment === true || input.taskDefinition !== undefined)
          containers.deploy(
            service,
            input.taskDefinition === undefined ? {} : { definition: containers.definition(input.taskDefinition) },
          );
        if (input.desiredCount !== undefined) service.desiredCount = input.desiredCount;
        return { service: serviceShape(aws, service, clusterArn(input.cluster)) };
      },
    },
  };
};

const clusterNameOf = (cluster: string | undefined) => (cluster ?? 'default').split('/').at(-1)!;

function serviceShape(aws: AwsNeighbours, service: Service, clusterArn: string) {
  const alive = [...service.tasks.values()].filter(isAlive);
  const running = alive.filter(({ status }) => status === 'RUNNING').length;
  return {
    serviceArn: service.arn,
    serviceName: service.name,
    clusterArn,
    status: 'ACTIVE',
    launchType: 'FARGATE',
    taskDefinition: service.definition.arn,
    desiredCount: service.desiredCount,
    runningCount: running,
    pendingCount: alive.length - running,
    createdAt: new Date(service.createdAt),
    deployments: [
      {
        id: service.deploymentId,
        status: 'PRIMARY',
        taskDefinition: service.definition.arn,
        desiredCount: service.desiredCount,
        runningCount: alive.filter((task) => task.deploymentId === service.deploymentId && task.status === 'RUNNING')
          .length,
        createdAt: new Date(service.deployedAt),
        rolloutState: isSteady(aws, service) ? 'COMPLETED' : 'IN_PROGRESS',
      },
    ],
  };
}
