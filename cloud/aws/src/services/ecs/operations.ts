import type {
  DescribeServicesCommandInput,
  DescribeTaskDefinitionCommandInput,
  DescribeTasksCommandInput,
  ListTasksCommandInput,
  UpdateServiceCommandInput,
} from '@aws-sdk/client-ecs';
import { arn } from '../../account/arn.ts';
import { requireModelled } from '../../account/modelled.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { Operations } from '../../account/service.ts';
import { isAlive, noCluster, type Service, type Task } from './model.ts';
import { isSteady } from './reconcile.ts';
import type { Containers } from './state.ts';

/** What operators look at, and new deployments. */
export const ecsOperations = (aws: AwsNeighbours, containers: Containers): Operations => {
  const clusterArn = (cluster: string | undefined) => arn(aws, 'ecs', `cluster/${clusterNameOf(cluster)}`);
  const onCluster = (action: string) => (input: { cluster?: string | undefined }) => [
    { action: `ecs:${action}`, resource: '*', context: { 'ecs:cluster': clusterArn(input.cluster) } },
  ];
  const serviceArn = (cluster: string | undefined, service: string | undefined) =>
    service?.startsWith('arn:') ? service : arn(aws, 'ecs', `service/${clusterNameOf(cluster)}/${service}`);
  const requireCluster = (cluster: string | undefined) => {
    if (!containers.clusters.has(clusterNameOf(cluster))) throw noCluster();
  };
  const tasks = () =>
    [...containers.services.values()].flatMap((service) =>
      [...service.tasks.values()].map((task) => ({ service, task })),
    );
  return {
    ListClusters: {
      permissions: () => [{ action: 'ecs:ListClusters', resource: '*' }],
      run: () => ({ clusterArns: [...containers.clusters].map(clusterArn) }),
    },
    ListServices: {
      permissions: onCluster('ListServices'),
      run: (input: { cluster?: string }) => {
        requireCluster(input.cluster);
        const ours = [...containers.services.values()].filter(
          (each) => each.clusterName === clusterNameOf(input.cluster),
        );
        return { serviceArns: ours.map((each) => each.arn) };
      },
    },
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
        requireModelled('ecs:UpdateService', input, [
          'cluster',
          'service',
          'desiredCount',
          'taskDefinition',
          'forceNewDeployment',
        ]);
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
    ListTasks: {
      permissions: onCluster('ListTasks'),
      run: (input: ListTasksCommandInput) => {
        requireCluster(input.cluster);
        const shown = tasks().filter(
          ({ service }) => input.serviceName === undefined || [service.name, service.arn].includes(input.serviceName),
        );
        return { taskArns: shown.map(({ task }) => task.arn) };
      },
    },
    DescribeTasks: {
      permissions: onCluster('DescribeTasks'),
      run: (input: DescribeTasksCommandInput) => {
        requireCluster(input.cluster);
        const shown = tasks().filter(({ task }) => input.tasks?.includes(task.arn));
        return { tasks: shown.map(({ service, task }) => taskShape(service, task, clusterArn(input.cluster))) };
      },
    },
    DescribeTaskDefinition: {
      permissions: () => [{ action: 'ecs:DescribeTaskDefinition', resource: '*' }],
      run: (input: DescribeTaskDefinitionCommandInput) => {
        const { arn: taskDefinitionArn, family, revision, cpu, memory } = containers.definition(input.taskDefinition);
        return { taskDefinition: { taskDefinitionArn, family, revision, cpu, memory, status: 'ACTIVE' } };
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

const taskShape = (service: Service, task: Task, clusterArn: string) => ({
  taskArn: task.arn,
  clusterArn,
  group: `service:${service.name}`,
  taskDefinitionArn: task.definition.arn,
  lastStatus: task.status,
  desiredStatus: 'RUNNING',
  launchType: 'FARGATE',
  createdAt: new Date(task.createdAt),
  ...(task.startedAt === undefined ? {} : { startedAt: new Date(task.startedAt) }),
  attachments: [
    {
      type: 'ElasticNetworkInterface',
      status: 'ATTACHED',
      details: [
        { name: 'subnetId', value: task.subnetId },
        { name: 'privateIPv4Address', value: task.address },
      ],
    },
  ],
});
