// Four projects: what needs nothing, what needs a database, and the public door of the running product in each topology.
// Global setups run only for the projects that have tests to run.
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6', ignoreDynamic: true } }],
  },
  modulePathIgnorePatterns: ['<rootDir>/\\.data', '<rootDir>/\\.cache'],
};

const door = (topology) => ({
  ...common,
  displayName: `door-${topology}`,
  testMatch: ['<rootDir>/gateway/tests/door/**/*.test.ts'],
  globals: { TOPOLOGY: topology },
  globalSetup: `<rootDir>/scripts/testing/door-${topology}-setup.mjs`,
  globalTeardown: `<rootDir>/scripts/testing/door-${topology}-teardown.mjs`,
});

export default {
  maxWorkers: 2,
  testTimeout: 90_000,
  reporters: ['default', '<rootDir>/scripts/testing/last-line.js'],
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{lib,services,scripts,gateway}/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/services/[^/]+/tests/',
        '\\.db\\.test\\.ts$',
        '<rootDir>/lib/tests/',
        '<rootDir>/gateway/tests/',
        '<rootDir>/scripts/containers/',
      ],
    },
    {
      ...common,
      displayName: 'services',
      testMatch: ['<rootDir>/services/**/*.db.test.ts', '<rootDir>/services/*/tests/**/*.test.ts', '<rootDir>/lib/tests/**/*.test.ts', '<rootDir>/gateway/tests/*.test.ts'],
      globalSetup: '<rootDir>/scripts/testing/database-setup.mjs',
      globalTeardown: '<rootDir>/scripts/testing/database-teardown.mjs',
    },
    door('single'),
    door('distributed'),
  ],
};
