/** A refusal of the Actions service: a status and the name of an exception. */
export class ServiceError extends Error {
  readonly status: number;
  readonly typeName: string;

  constructor(status: number, exception: string, message: string, namespace = 'GitHub.Actions.Runtime.WebApi') {
    super(message);
    this.status = status;
    this.typeName = `${namespace}.${exception}, ${namespace}`;
  }
}

const tasks = 'GitHub.DistributedTask.WebApi';

export const noSuchSet = (id: string | number): ServiceError =>
  new ServiceError(404, 'RunnerScaleSetNotFoundException', `No runner scale set found with identifier ${id}.`);
export const setExists = (name: string): ServiceError =>
  new ServiceError(409, 'RunnerScaleSetExistsException', `Runner scale set ${name} already exists.`);
/** That it is refused is known, in which words is not. */
export const setIsBusy = (name: string): ServiceError =>
  new ServiceError(400, 'RunnerScaleSetHasRunningJobsException', `Runner scale set ${name} has running jobs.`);
/**
 * actions/actions-runner-controller issue 3351, and seen by others on 2026-08-30. The same controller's issue 4285 has another text, without
 * the owner.
 */
export const sessionConflict = (name: string, owner: string): ServiceError =>
  new ServiceError(
    409,
    'RunnerScaleSetSessionConflictException',
    `The runner scale set ${name} already has an active session for owner ${owner}.`,
  );
/** actions/actions-runner-controller issue 4285. */
export const sessionExpired = (id: string): ServiceError =>
  new ServiceError(400, 'RunnerScaleSetSessionExpiredException', `The session identifier ${id} is not valid.`);
/** actions/scaleset pull request 123. */
export const sessionUnknown = (): ServiceError =>
  new ServiceError(404, 'RunnerAdminException', "runner referenced a session ID that doesn't exist in redis");
export const noSuchGroup = (id: number): ServiceError =>
  new ServiceError(404, 'RunnerGroupNotFoundException', `No runner group found with identifier ${id}.`);
export const agentExists = (name: string): ServiceError =>
  new ServiceError(409, 'TaskAgentExistsException', `A runner exists with the same name ${name}.`, tasks);
export const agentUnknown = (id: string): ServiceError =>
  new ServiceError(404, 'TaskAgentNotFoundException', `No agent found with identifier ${id}.`, tasks);
export const jobStillRunning = (id: string): ServiceError =>
  new ServiceError(400, 'TaskAgentJobStillRunningException', `Agent ${id} is still running a job.`, tasks);
export const unauthorized = (): ServiceError =>
  new ServiceError(
    401,
    'UnauthorizedRequestException',
    'The token is not valid or has expired.',
    'GitHub.Services.Common',
  );
export const badRequest = (message: string): ServiceError =>
  new ServiceError(400, 'InvalidRequestException', message, 'GitHub.Services.Common');
