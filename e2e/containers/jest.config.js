// `npm run test:containers`: starts deploy/compose.yaml as an operator does, and runs the end-to-end tests against it.
import path from 'node:path';
import { engineFault } from './engine.ts';

const rootDir = path.resolve(import.meta.dirname, '../..');
const fault = await engineFault();
if (fault) console.log(`skipped, since ${fault}`);

// Single tests of files that otherwise run here.
const ELSEWHERE = [
  'the desk in Chromium', // only development serves it
  '.* both clinics get a mail$', // reads mails from the data folder
  'the examples of docs/guides/events-and-webhooks\\.md ', // receives webhooks on the loopback address
  'each process is given only the encryption keys and the database logins ', // reads the environment of processes of this machine
];

/** @type {import('jest').Config} */
export default {
  rootDir,
  displayName: 'containers',
  runtime: '<rootDir>/scripts/dev/testing/native/runtime.js',
  testEnvironment: '<rootDir>/scripts/dev/testing/native/environment.js',
  transform: {},
  maxWorkers: 1,
  testTimeout: 900_000,
  reporters: ['default', '<rootDir>/scripts/dev/testing/last-line.js'],
  globals: { TOPOLOGY: 'distributed', ENGINE_FAULT: fault },
  // Excluded are tests that start their own product, read mails from the data folder, or need the loopback address or the processor for themselves:
  // they would not test containers.
  testMatch: ['<rootDir>/e2e/containers/*.test.ts', ...(fault ? [] : ['<rootDir>/e2e/*.test.ts'])],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/e2e/(audit|billing|browser|canaries|clock|dte|events|kills|live|platform|store-unavailable|tracing|upgrade|users)\\.test\\.ts$',
  ],
  testNamePattern: `^(?!${ELSEWHERE.join('|')})`,
  ...(!fault && { globalSetup: '<rootDir>/e2e/containers/setup.mjs', globalTeardown: '<rootDir>/e2e/containers/teardown.mjs' }),
};
