// Which room may know which. Read as: who stands in `from` may not import what stands in `to`.
const NPM = '(^|/)node_modules/';
const TESTS = '(/tests/|\\.test\\.ts$)';
const service = '^services/([^/]+)/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule('no-cycle', 'Two files that need each other are one file, or hide a third.', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    rule('found', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
    rule('declared', 'What is imported is in package.json.', { pathNot: TESTS }, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    rule(
      'no-dev-dependency',
      'What runs in production is installed in production.',
      { path: '^(lib|gateway|services)/', pathNot: [TESTS, '^lib/testing/'] },
      { dependencyTypes: ['npm-dev'] },
    ),

    rule(
      'services-are-strangers',
      'A service asks another by RPC or hears of it by events; it imports nothing of it.',
      { path: service },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule('services-know-no-gateway', 'A service does not know how it is reached.', { path: '^services/' }, { path: '^(gateway|scripts)/' }),
    rule('gateway-knows-contracts-only', 'The gateway knows the contracts of services and never their code.', { path: '^gateway/' }, { path: '^services/' }),
    rule(
      'gateway-needs-no-scripts',
      'Only the tests at the door start products.',
      { path: '^gateway/', pathNot: '^gateway/tests/door/' },
      { path: '^scripts/' },
    ),
    rule(
      'lib-knows-no-domain',
      'Plumbing knows neither services nor gateway nor scripts, and of the contracts only what all share.',
      { path: '^lib/' },
      { path: '^(services|gateway|scripts)/' },
    ),
    rule(
      'lib-knows-common-contracts',
      'A contract of one service has no place in lib.',
      { path: '^lib/', pathNot: TESTS },
      { path: '^proto/gen/', pathNot: '^proto/gen/clinic/common/' },
    ),

    rule(
      'rules-decide-without-io',
      'A rule is a decision: it imports other rules and libraries, and neither files, network nor database.',
      { path: '/rules/', pathNot: TESTS },
      { path: '.', pathNot: ['/rules/', NPM], dependencyTypesNot: ['core'] },
    ),
    rule(
      'rules-know-no-driver',
      'No way around it by a library.',
      { path: '/rules/', pathNot: TESTS },
      { path: `${NPM}(pg|pg-boss|nats|express|undici|@grpc|@connectrpc)/` },
    ),
    rule(
      'rules-know-no-core',
      'Hashing and packing are arithmetic, and data of a library is no I/O; the rest of Node is the outside world.',
      { path: '/rules/', pathNot: TESTS },
      { dependencyTypes: ['core'], pathNot: '^(crypto|zlib|module)$' },
    ),
    rule(
      'sql-states',
      'Statements know rows, rules and contracts; who calls them is not their business.',
      { path: `${service}sql/` },
      { path: '^services/$1/(handlers|consumers|jobs|providers)/' },
    ),
    rule(
      'handlers-are-apart',
      'One RPC does not go through another: what they share has a room of its own.',
      { path: `${service}handlers/` },
      { path: '^services/$1/(handlers|consumers)/' },
    ),
    rule(
      'only-sql-speaks-to-pg',
      'The driver belongs to lib/db.ts and to those who own the database.',
      { path: '^(services|gateway)/', pathNot: [TESTS, '^gateway/limits/store\\.ts$'] },
      { path: `${NPM}pg/` },
    ),

    rule(
      'tests-stay-outside',
      'Code that runs never imports what tests it.',
      { pathNot: [TESTS, '^lib/testing/', '^scripts/testing/'] },
      { path: [TESTS, '^lib/testing/'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(proto/gen/descriptor|bench-results)' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs'],
    combinedDependencies: true,
    preserveSymlinks: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
