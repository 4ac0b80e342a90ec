// Four projects: what needs nothing, what needs a database (*.db.test.ts), and the public API of the running product in each
// topology.
import path from 'node:path';

// Compiled once for the many processes that tests start.
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, '.cache/compiled');

const common = {
  runtime: '<rootDir>/scripts/dev/testing/native/runtime.js',
  testEnvironment: '<rootDir>/scripts/dev/testing/native/environment.js',
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/\\.data', '<rootDir>/\\.cache'],
};

const shared = {
  globalSetup: '<rootDir>/scripts/dev/testing/global-setup.mjs',
  globalTeardown: '<rootDir>/scripts/dev/testing/global-teardown.mjs',
};

// Their product is one of their own, in one process.
const OWN_PRODUCT = ['billing', 'dte'];

// Most journeys run in both topologies. What these show does not depend on how calls travel: they run in one of them, unless E2E_EVERYWHERE is set.
const once = (...files) => (process.env.E2E_EVERYWHERE ? [] : files);
const IN_ONE_PROCESS = once(
  'bad-input',
  'browser',
  'canaries',
  'changes-one-field',
  'clock',
  'events',
  'isolation',
  'public-pages',
  'readme',
  'sdk',
  'upgrade',
  'whole-records',
);
const DISTRIBUTED = once('access', 'slot-races', 'tracing');

const endToEnd = (topology, ...ignored) => ({
  ...common,
  displayName: `e2e-${topology}`,
  testMatch: ['<rootDir>/e2e/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...ignored.map((file) => `/e2e/${file}\\.test\\.ts$`)],
  globals: { TOPOLOGY: topology },
  ...shared,
});

export default {
  maxWorkers: 5, // on two cores, since two or three of them mostly wait (see the sequencer)
  testSequencer: '<rootDir>/scripts/dev/testing/sequencer.js',
  testTimeout: 900_000, // the only limit of a test: it ends what hangs, on a slow machine too
  reporters: ['default', '<rootDir>/scripts/dev/testing/last-line.js'],
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{lib,services,scripts,gateway,sdk}/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.db\\.test\\.ts$'],
    },
    {
      ...common,
      displayName: 'services',
      testMatch: ['<rootDir>/{lib,services,gateway,scripts}/**/*.db.test.ts'],
      ...shared,
    },
    endToEnd('single', ...DISTRIBUTED),
    endToEnd('distributed', ...OWN_PRODUCT, ...IN_ONE_PROCESS),
  ],
};
