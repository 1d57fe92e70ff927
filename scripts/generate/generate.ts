/**
 * `npm run generate`: makes the generated tables of the doubles again, from pinned sources. Needs python3 and its package index for
 * AWS's service models; the description of Elasticsearch's API is a package of npm.
 */
import { execFileSync } from 'node:child_process';
import { writeAwsLimits } from './aws-limits.ts';
import { writeElasticsearchTables } from './elasticsearch-routes.ts';

const written = [writeAwsLimits(), ...writeElasticsearchTables()];
execFileSync('node_modules/.bin/biome', ['format', '--write', ...written], { stdio: 'inherit' });
