import { AwsError } from '../../account/errors.ts';

export const invalidPattern = (reason: string) =>
  new AwsError('InvalidEventPatternException', `Event pattern is not valid. ${reason}`);
export const validation = (message: string) => new AwsError('ValidationException', message);
export const ruleNotFound = (name: string, bus: string) =>
  new AwsError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus ${bus}.`);
