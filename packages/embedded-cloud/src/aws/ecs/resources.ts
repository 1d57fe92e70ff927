import { type ArnScope, arn } from '../arn.ts';
import type { ResourceProvider, ResourceProviders, ResourceRequest, ResourceState } from '../service.ts';

/** Clusters, services and task definitions as far as templates need them: names and ARNs. No task runs. */
export const ecsResources = (scope: ArnScope): ResourceProviders => {
  const revisions = new Map<string, number>();
  return {
    'AWS::ECS::Cluster': shaped(({ properties, generateName }) => {
      const name: string = properties.ClusterName ?? generateName(255);
      return { physicalId: name, attributes: { Arn: arn(scope, 'ecs', `cluster/${name}`) } };
    }),
    'AWS::ECS::TaskDefinition': shaped(({ properties, generateName }) => {
      const family: string = properties.Family ?? generateName(255).replaceAll('-', '');
      const revision = (revisions.get(family) ?? 0) + 1;
      revisions.set(family, revision);
      const TaskDefinitionArn = arn(scope, 'ecs', `task-definition/${family}:${revision}`);
      return { physicalId: TaskDefinitionArn, attributes: { TaskDefinitionArn } };
    }),
    'AWS::ECS::Service': shaped(({ properties, generateName }) => {
      const Name: string = properties.ServiceName ?? generateName(255);
      const cluster = String(properties.Cluster ?? 'default')
        .split('/')
        .at(-1);
      const ServiceArn = arn(scope, 'ecs', `service/${cluster}/${Name}`);
      return { physicalId: ServiceArn, attributes: { ServiceArn, Name } };
    }),
  };
};

const shaped = (create: (request: ResourceRequest) => ResourceState): ResourceProvider => ({
  shapeOnly: true,
  create,
  update: ({ physicalId }) => ({ physicalId }),
  delete: () => {},
});
