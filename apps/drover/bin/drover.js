#!/usr/bin/env node
import { register } from 'tsx/esm/api';

// What the SDK says about coming versions of Node is for those who choose the SDK's version.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
register();
await import('../src/entry.ts');
