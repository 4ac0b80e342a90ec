// Which part of the code base may import which. Read as: files of `from` may not import files of `to`. Circles between the modules of
// a service are found by scripts/checks/module-circles.ts.
const NPM = '(^|/)node_modules/';
const TESTS = '(^e2e/|/testing/|\\.test\\.ts$)';
const RULES = '(/rules/|-rules\\.ts$)';
const SQL = '\\.sql\\.ts$';
const service = '^services/([^/]+)/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    rule('no-cycle', 'Two files that need each other are one file, or a third is missing. Type imports count.', {}, { circular: true }),
    rule('found', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
    rule('declared', 'What is imported is in package.json.', { pathNot: TESTS }, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    rule(
      'no-dev-dependency',
      'What runs in production is installed in production; types do not run. The desk is served in development only.',
      { path: '^(lib|gateway|services)/', pathNot: [TESTS, '^gateway/custom/desk\\.ts$'] },
      { dependencyTypes: ['npm-dev'], pathNot: '/@types/' },
    ),

    rule(
      'services-import-no-service',
      'A service calls another by RPC or consumes its events; it imports nothing of it.',
      { path: service },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule(
      'services-import-no-gateway',
      'A service does not depend on the gateway, scripts or end-to-end tests.',
      { path: '^services/' },
      { path: '^(gateway|scripts|e2e)/' },
    ),
    rule(
      'gateway-imports-contracts-only',
      'The gateway uses the contracts of services and never their code.',
      { path: '^gateway/' },
      { path: '^(services|scripts|e2e)/' },
    ),
    rule('lib-imports-no-domain', 'lib depends on neither services, gateway nor scripts.', { path: '^lib/' }, { path: '^(services|gateway|scripts|e2e)/' }),
    rule(
      'lib-imports-common-contracts',
      'The contract of one service has no place in lib; events are for all.',
      { path: '^lib/', pathNot: TESTS },
      { path: '^proto/gen/', pathNot: '^proto/gen/clinic/(common|events)/' },
    ),
    rule('sdk-stands-alone', 'The SDK is a package of its own.', { path: '^sdk/src/' }, { path: '^(lib|gateway|services|scripts|e2e|proto)/' }),
    rule(
      'module-ts-is-wiring',
      "A module's module.ts is imported by service.ts alone; other modules import the functions that they need.",
      { pathNot: '^services/[^/]+/service\\.ts$' },
      { path: '^services/[^/]+/[^/]+/module\\.ts$' },
    ),
    rule(
      'service-ts-is-wiring',
      'Nothing in a service imports its service.ts except main.ts and tests.',
      { path: service, pathNot: ['^services/[^/]+/main\\.ts$', TESTS] },
      { path: '^services/[^/]+/service\\.ts$' },
    ),
    rule(
      'assistant-calls-by-rpc',
      'The assistant calls other modules and services by RPC only, so that it could become a service of its own.',
      { path: '^services/messaging/assistant/', pathNot: TESTS },
      { path: '^services/messaging/', pathNot: ['^services/messaging/assistant/', '^services/messaging/(app|settings)\\.ts$'] },
    ),

    rule(
      'rules-decide-without-io',
      'A rule is a decision without I/O: it imports other rules, formats, error types and libraries, and neither files, network nor database.',
      { path: RULES, pathNot: TESTS },
      { path: '.', pathNot: [RULES, '^lib/(formats|errors)/', NPM], dependencyTypesNot: ['core'] },
    ),
    rule(
      'rules-import-no-driver',
      'No I/O by way of a library.',
      { path: RULES, pathNot: TESTS },
      { path: `${NPM}(pg|pg-boss|nats|express|undici|@grpc|@connectrpc)/` },
    ),
    rule(
      'rules-import-no-core',
      'Hashing and packing are arithmetic, and data of a library is no I/O; the rest of Node is I/O.',
      { path: RULES, pathNot: TESTS },
      { dependencyTypes: ['core'], pathNot: '^(crypto|zlib|module)$' },
    ),
    rule(
      'sql-imports-no-caller',
      'Statements depend on rows, rules and contracts, and never on an RPC handler or a module.ts.',
      { path: SQL },
      { path: ['^services/[^/]+/[^/]+/rpcs/', '^services/[^/]+/[^/]+/on-[^/]+\\.ts$', '^services/[^/]+/([^/]+/module|app|service)\\.ts$'] },
    ),
    rule('rpcs-are-apart', 'One RPC does not go through another: what they share is a file of the module.', { path: '/rpcs/' }, { path: '/rpcs/' }),
    rule(
      'only-lib-imports-pg',
      'The driver belongs to lib/db and to those who own the database.',
      { path: '^(services|gateway)/', pathNot: [TESTS, '^gateway/limits/store\\.ts$'] },
      { path: `${NPM}pg/` },
    ),

    rule('tests-stay-outside', 'Code that runs never imports what tests it.', { pathNot: TESTS }, { path: TESTS, dependencyTypesNot: ['type-only'] }),
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
