import type { AwsNeighbours } from '../../account/neighbours.ts';
import { isAlive, type Service, type Task } from './model.ts';
import type { Tasks } from './tasks.ts';

/** How often the scheduler looks at its services. */
export const reconcileEveryMs = 10_000;
/** Failures in a row after which new tasks are started more and more slowly. (Developer Guide, "Amazon ECS service throttle logic".) */
const throttleAfter = 3;

/** One look of the scheduler at a service: as many healthy tasks of the newest deployment as wanted, and no others. */
export function reconcileService(aws: AwsNeighbours, tasks: Tasks, service: Service): void {
  for (const task of service.tasks.values())
    if (isUnhealthy(aws, service, task)) tasks.stop(service, task, 'Task failed ELB health checks');
  const alive = [...service.tasks.values()].filter(isAlive);
  const current = alive.filter((task) => task.deploymentId === service.deploymentId);
  const old = alive.filter((task) => task.deploymentId !== service.deploymentId);
  const most = Math.ceil((service.desiredCount * service.maximumPercent) / 100);
  const missing = Math.min(service.desiredCount - current.length, most - alive.length);
  if (mayStart(aws, service)) for (let count = 0; count < missing; count++) tasks.start(service);
  const least = Math.ceil((service.desiredCount * service.minimumHealthyPercent) / 100);
  let serving = alive.filter((task) => isServing(aws, service, task)).length;
  for (const task of old) {
    if (isServing(aws, service, task) && serving <= least) continue;
    if (isServing(aws, service, task)) serving -= 1;
    tasks.stop(service, task, 'Scaling activity initiated by deployment');
  }
  for (const task of current.slice(service.desiredCount)) tasks.stop(service, task, 'Scaling activity initiated');
}

/** Running, and healthy in every target group. */
const isServing = (aws: AwsNeighbours, { balancers }: Service, { status, address }: Task): boolean =>
  status === 'RUNNING' && balancers.every(({ targetGroupArn }) => aws.elbv2.isHealthy(targetGroupArn, address));

/** As many as wanted, all of the newest deployment. */
export const isSteady = (aws: AwsNeighbours, service: Service): boolean => {
  const alive = [...service.tasks.values()].filter(isAlive);
  const done = alive.filter((task) => task.deploymentId === service.deploymentId && isServing(aws, service, task));
  return done.length === service.desiredCount && alive.length === service.desiredCount;
};

/** The grace period counts from the start of the task. */
function isUnhealthy(aws: AwsNeighbours, service: Service, { status, startedAt, address }: Task): boolean {
  if (status !== 'RUNNING' || startedAt === undefined) return false;
  if (aws.engine.clock.now() - startedAt < service.graceSeconds * 1000) return false;
  return service.balancers.some(({ targetGroupArn }) => aws.elbv2.isUnhealthy(targetGroupArn, address));
}

function mayStart(aws: AwsNeighbours, { failures, deployedAt }: Service): boolean {
  if (failures < throttleAfter) return true;
  const pauseMs = Math.min(15 * 60_000, reconcileEveryMs * 2 ** (failures - throttleAfter));
  return (aws.engine.clock.now() - deployedAt) % pauseMs < reconcileEveryMs;
}
