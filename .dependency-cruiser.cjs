/**
 * Who may import whom. Anything not listed is forbidden; docs/ARCHITECTURE.md explains the rooms.
 * `ours` and `npm` are regular expressions of what a room may import beside its own files and Node's modules.
 */
const anything = '.*';
const rooms = {
  'packages/core': { ours: [], npm: [] },
  'packages/formats': { ours: [], npm: [] },
  'packages/command-tree': { ours: ['packages/core'], npm: [] },
  'packages/runner-fleet': { ours: ['packages/core'], npm: [] },
  'packages/search-cluster': { ours: ['packages/core'], npm: [] },
  'packages/adapters': {
    ours: ['packages/core'],
    types: ['packages/runner-fleet', 'packages/search-cluster'],
    npm: ['@aws-sdk/', '@smithy/', '@octokit/'],
  },
  'packages/fleet-runtime': { ours: ['packages/core', 'packages/runner-fleet', 'packages/adapters'], npm: [] },
  'packages/constructs': { ours: ['packages/core'], npm: ['aws-cdk-lib', 'constructs', 'fflate', 'yaml'] },
  'packages/operator': {
    ours: [
      'packages/core',
      'packages/runner-fleet',
      'packages/search-cluster',
      'packages/adapters',
      'packages/fleet-runtime',
    ],
    npm: ['@aws-sdk/'],
  },
  'packages/observation': {
    ours: [
      'packages/core',
      'packages/runner-fleet',
      'packages/search-cluster',
      'packages/adapters',
      'packages/fleet-runtime',
      'packages/operator',
    ],
    npm: ['@aws-sdk/', '@hono/', 'hono'],
  },
  'cloud/engine': { ours: ['packages/core'], npm: [] },
  'cloud/aws': {
    ours: ['packages/core', 'cloud/engine'],
    npm: ['@aws-sdk/', '@smithy/', '@aws-cdk/', 'fflate', 'yaml'],
  },
  'cloud/machines': { ours: ['packages/core', 'cloud/engine'], npm: [] },
  'cloud/github': { ours: ['packages/core', 'cloud/engine'], types: ['cloud/machines'], npm: ['yaml'] },
  'cloud/elasticsearch': { ours: ['packages/core', 'packages/formats', 'cloud/engine'], npm: ['yaml'] },
  'cloud/world': { ours: ['packages/core', 'cloud/'], npm: ['@aws-sdk/', 'fflate'] },
  'packages/stage': {
    ours: [
      'packages/core',
      'packages/runner-fleet',
      'packages/search-cluster',
      'packages/adapters',
      'packages/fleet-runtime',
      'packages/constructs',
      'cloud/',
      'apps/functions',
      'apps/runner-agent',
      'apps/cluster-cli',
    ],
    npm: ['@aws-sdk/', 'aws-cdk-lib', 'yaml'],
  },
  'packages/local': {
    ours: [
      'packages/core',
      'packages/runner-fleet',
      'packages/search-cluster',
      'packages/adapters',
      'packages/fleet-runtime',
      'packages/constructs',
      'packages/operator',
      'packages/observation',
      'packages/stage',
      'cloud/',
      'apps/cluster-cli',
      'examples/local',
    ],
    npm: ['@aws-sdk/', 'aws-cdk-lib', 'yaml'],
  },
  'packages/simulation': { ours: ['packages/', 'cloud/', 'apps/cluster-cli', 'apps/functions'], npm: ['@aws-sdk/'] },
  'apps/functions': {
    ours: ['packages/core', 'packages/adapters', 'packages/fleet-runtime', 'packages/search-cluster'],
    npm: ['@peculiar/'],
  },
  'apps/runner-agent': { ours: ['packages/core', 'packages/runner-fleet', 'packages/adapters'], npm: [] },
  'apps/cluster-cli': {
    ours: [
      'packages/core',
      'packages/command-tree',
      'packages/formats',
      'packages/search-cluster',
      'packages/adapters',
    ],
    npm: ['yaml'],
  },
  // The types of the observation, and the phase of an instance, are all that the commands share with the page.
  'apps/console': {
    ours: ['packages/observation/src/phase'],
    types: ['packages/observation/src/api'],
    npm: ['preact'],
  },
  'apps/drover': { ours: ['packages/'], npm: [] },
  examples: { ours: ['packages/constructs/', 'packages/core/'], npm: ['aws-cdk-lib', 'constructs'] },
};

/** Floors of the house from below: no source imports one of a higher floor. Tests may, of whatever they try the code with. */
const floors = ['product', 'cloud', 'laptop', 'quality', 'top'];
const places = require('./scripts/lines/floors.json');

/** Matches the files of a floor: those of its folders that no earlier line of the list gives to another. */
const pathsOf = (floor) => {
  const own = places.map(([prefix], index) => `${elsewhere(floor, index)}${prefix}`);
  return `^(${own.filter((_, index) => places[index][1] === floor).join('|')})`;
};
const elsewhere = (floor, end) =>
  places
    .slice(0, end)
    .map(([prefix, other]) => (other === floor ? '' : `(?!${prefix})`))
    .join('');

const tests = '(\\.test\\.ts$|/test/|/testing/|/src/testing\\.ts$|\\.test-support\\.ts$|-fixture\\.ts$)';
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const pattern = (list) =>
  list.length === 0 ? undefined : `^(${list.map((entry) => (entry === anything ? entry : literal(entry))).join('|')})`;

const forbidden = Object.entries(rooms).flatMap(([room, { ours, types = [], npm }]) => {
  const from = { path: `^${room}/`, pathNot: tests };
  const own = [`${room}/`, ...ours];
  return [
    {
      name: `${room} imports only its neighbours`,
      severity: 'error',
      from,
      to: { path: '^(cloud|packages|apps|examples|scripts|bench)/', pathNot: pattern([...own, ...types]) },
    },
    ...types.map((neighbour) => ({
      name: `${room} imports only types of ${neighbour}`,
      severity: 'error',
      from,
      to: { path: `^${neighbour}/`, dependencyTypesNot: ['type-only'] },
    })),
    {
      name: `${room} uses only its npm packages`,
      severity: 'error',
      from,
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'],
        ...(npm.length === 0
          ? {}
          : {
              pathNot: `^node_modules/(${npm.map((entry) => (entry === anything ? entry : literal(entry))).join('|')})`,
            }),
      },
    },
  ];
});

const upwards = floors.slice(0, -1).map((floor, index) => ({
  name: `the floor ${floor} imports nothing above it`,
  severity: 'error',
  from: { path: pathsOf(floor), pathNot: tests },
  to: {
    path: floors
      .slice(index + 1)
      .map(pathsOf)
      .join('|'),
  },
}));

module.exports = {
  forbidden: [
    ...forbidden,
    ...upwards,
    {
      name: 'the SDK schemas are loaded in one file',
      severity: 'error',
      from: { path: '^cloud/', pathNot: `(${tests}|^cloud/aws/src/wire/|/clients\\.ts$)` },
      to: { path: '^node_modules/@aws-sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the Elasticsearch engine knows nothing of HTTP',
      severity: 'error',
      from: { path: '^cloud/elasticsearch/src/engine/' },
      to: { path: '^cloud/elasticsearch/src/', pathNot: '^cloud/elasticsearch/src/engine/' },
    },
    // Type imports included: a circle of types is a circle for whoever reads it.
    { name: 'no circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|cdk\\.out)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
