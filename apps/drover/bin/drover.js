#!/usr/bin/env node
import { enter } from '../dist/drover.mjs';

await enter(process.argv.slice(2));
