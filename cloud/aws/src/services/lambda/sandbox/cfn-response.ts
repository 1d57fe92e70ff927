import type { FunctionContext } from '../model.ts';

type Https = { request(options: object, respond: (response: { statusCode: number }) => void): NodeJS.WritableStream };
type Context = FunctionContext & { done(error?: unknown): void };
interface ResponseEvent {
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
}

/**
 * The module that AWS adds to inline code: it responds to CloudFormation. (CloudFormation User Guide, "cfn-response
 * module".)
 */
export const cfnResponse = (https: Https, log: (line: string) => void) => ({
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
  send(event: ResponseEvent, context: Context, status: string, data: unknown, physicalId?: string, noEcho?: boolean) {
    const body = JSON.stringify({
      Status: status,
      Reason: `See the details in CloudWatch Log Stream: ${context.logStreamName}`,
      PhysicalResourceId: physicalId ?? context.logStreamName,
      StackId: event.StackId,
      RequestId: event.RequestId,
      LogicalResourceId: event.LogicalResourceId,
      NoEcho: noEcho ?? false,
      Data: data,
    });
    const { hostname, pathname, search, port } = new URL(event.ResponseURL);
    const headers = { 'content-type': '', 'content-length': Buffer.byteLength(body) };
    const options = { hostname, port: port || 443, path: pathname + search, method: 'PUT', headers };
    return new Promise<void>((resolve) => {
      const request = https.request(options, (response) => {
        log(`Status code: ${response.statusCode}`);
        context.done();
        resolve();
      });
      request.on('error', (error: Error) => {
        log(`send(..) failed executing https.request(..): ${error.message}`);
        context.done(error);
        resolve();
      });
      request.end(body);
    });
  },
});
