#!/usr/bin/env node
import { register } from 'tsx/esm/api';

register();
const { enter } = await import('../src/entry.ts');
await enter(process.argv.slice(2));
