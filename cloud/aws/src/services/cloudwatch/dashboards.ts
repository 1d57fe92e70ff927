import { AwsError } from '../../account/errors.ts';
import { invalidValue } from './model.ts';

/** Dashboards are kept, not drawn. */
export interface Dashboard {
  readonly name: string;
  readonly body: string;
  readonly modifiedAt: number;
}

/** Stores a dashboard whose body must be JSON with widgets. */
export function putDashboard(dashboards: Map<string, Dashboard>, name: string, body: string, now: number): void {
  if (!/^[\w-]{1,255}$/.test(name)) throw invalidValue(`The dashboard name ${name} is not valid`);
  try {
    const parsed = JSON.parse(body) as { widgets?: unknown };
    if (!Array.isArray(parsed.widgets)) throw new Error('widgets is missing');
  } catch (error) {
    throw new AwsError('InvalidParameterInput', `The dashboard body is invalid: ${(error as Error).message}`);
  }
  dashboards.set(name, { name, body, modifiedAt: now });
}
