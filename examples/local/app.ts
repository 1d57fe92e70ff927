import { App } from 'aws-cdk-lib';
import { LocalStack } from './local-stack.ts';

const app = new App();
new LocalStack(app);
app.synth();
