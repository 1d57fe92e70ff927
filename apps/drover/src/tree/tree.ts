import type { CommandTree } from '@drover/command-tree';
import { clusterCommands } from './cluster.ts';
import { fleetCommands } from './fleet.ts';
import { imageCommands } from './image.ts';
import { localCommand, synthCommand, whatIfCommand } from './laptop.ts';
import { clusterUrl } from './shared-options.ts';

/** All words of the command line. */
export const tree = {
  program: 'drover',
  summary: 'Operates runner fleets and search clusters on AWS, and runs both on this machine.',
  details: ['The usual AWS variables name account and region. Data goes to stdout, everything else to stderr.'],
  examples: [
    ['local', 'try everything on this machine'],
    ['fleet doctor', 'what is wrong with a deployed fleet, and what to do'],
    ['fleet why i-0123456789abcdef0', 'what happened to an instance'],
    ['cluster upgrade --help', 'what a command does'],
  ],
  globalOptions: [],
  commands: [
    localCommand,
    {
      path: ['console'],
      summary: 'the page of drover local for stacks of your account: it reads, and changes nothing',
      details: [
        'It needs credentials of AWS as any AWS tool does, and reads the two secrets with which the platform and Elasticsearch are asked. At most two calls a second go to AWS; the page says how old each part of it is. What only drover local can know (faults, promises, the queue of GitHub) is marked.',
      ],
      args: [],
      options: [
        {
          name: 'stack',
          value: 'name',
          list: 'words',
          required: true,
          summary: 'stacks of a runner fleet, of a search cluster, or of both',
        },
        clusterUrl,
        {
          name: 'port',
          value: 'port',
          kind: 'port',
          range: [1, 65_533],
          default: 8610,
          summary: 'where the page is served, on loopback',
        },
        { name: 'print-policy', summary: 'print the required IAM policy and exit' },
      ],
      examples: [
        ['console --stack runner-fleet search-cluster', 'then open the address that it prints'],
        ['console --stack runner-fleet --print-policy > console-policy.json', 'what its role must be allowed'],
      ],
    },
    ...fleetCommands,
    ...imageCommands,
    ...clusterCommands,
    {
      path: ['output'],
      summary: 'an output of a stack, by its documented name or its name in the stack',
      args: [{ name: 'name', summary: 'e.g. autoscaling_group_name, cluster_url, kibana_system_password' }],
      options: [{ name: 'stack', value: 'name', env: 'DROVER_STACK', default: 'runner-fleet', summary: 'stack' }],
      examples: [['output cluster_url --stack search-cluster', 'prints the address alone']],
    },
    synthCommand,
    whatIfCommand,
    {
      path: ['completion'],
      summary: 'prints the completion script of a shell',
      args: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'], summary: 'which shell' }],
      options: [],
      examples: [
        ['completion bash > /etc/bash_completion.d/drover', 'install it for bash'],
        ['completion fish | source', 'for this shell alone'],
      ],
    },
  ],
  groups: {
    fleet: 'inspects and repairs a deployed runner fleet',
    image: 'bakes images of a fleet with baked_image',
    cluster: 'inspects and repairs a deployed search cluster',
  },
} as const satisfies CommandTree;
