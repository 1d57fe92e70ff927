/** Measures the cost of synthesis itself. AWS's template rules want at least one resource: this one makes nothing. */
import { App, CfnWaitConditionHandle, Stack } from 'aws-cdk-lib';

const app = new App();
new CfnWaitConditionHandle(new Stack(app, 'empty'), 'Nothing');
app.synth();
