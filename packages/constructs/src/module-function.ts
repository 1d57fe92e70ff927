import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { functionCode, functionPlatform } from './function-code.ts';
import { allow } from './statements.ts';

export interface ModuleFunctionProps {
  readonly functionName: string;
  /** Path of the built bundle from the root of the repository. */
  readonly bundle: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Exactly the calls that it makes, in addition to its log. */
  readonly statements: readonly PolicyStatement[];
  readonly logKey: Key;
  /** How often Lambda retries a failed asynchronous invocation. @default 2 */
  readonly retryAttempts?: number;
}

/** A small function outside the VPC, with its log and its permissions. */
export class ModuleFunction extends Construct {
  readonly fn: LambdaFn;

  constructor(scope: Construct, id: string, props: ModuleFunctionProps) {
    super(scope, id);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${props.functionName}`,
      retention: RetentionDays.ONE_YEAR,
      encryptionKey: props.logKey,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const log = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
    for (const statement of [log, ...props.statements]) role.addToPolicy(statement);
    this.fn = new LambdaFn(this, 'Function', {
      functionName: props.functionName,
      ...functionPlatform,
      code: functionCode(props.bundle),
      timeout: Duration.seconds(60),
      ...(props.retryAttempts === undefined ? {} : { retryAttempts: props.retryAttempts }),
      role,
      logGroup,
      ...(props.environment === undefined ? {} : { environment: { ...props.environment } }),
    });
  }
}
