#!/usr/bin/env node
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url)('../dist/cluster-cli.cjs');
} catch (error) {
  if (error.code !== 'MODULE_NOT_FOUND' || !String(error.message).includes('cluster-cli.cjs')) throw error;
  console.error('cluster-cli is not built; run `npm run build` first');
  process.exitCode = 1;
}
