// Jest environment without a context of its own: test files run on the globals of the worker process, and what a file changes of
// them is restored when it ends.
import { flushCompileCache } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

// What jest.setTimeout() and jest.retryTimes() leave behind.
const OF_ONE_FILE = ['TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES', 'WAIT_BEFORE_RETRY', 'RETRY_IMMEDIATELY', 'LOG_ERRORS_BEFORE_RETRY'].map((name) => Symbol.for(name));

// Jest reports a worker that takes longer than 500 ms to end. Node would first store the compiled modules (see teardown()) and free the heap.
if (process.send) process.once('beforeExit', () => process.exit());

export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #restore;

  constructor({ projectConfig }) {
    const { console, process } = globalThis;
    const { exit } = process;
    const env = { ...process.env };
    const globals = Object.keys(projectConfig.globals);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    Object.assign(globalThis, projectConfig.globals);
    this.#restore = () => {
      globalThis.console = console;
      process.exit = exit;
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
      Object.assign(process.env, env);
      for (const name of [...globals, ...OF_ONE_FILE]) delete globalThis[name];
    };
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.#restore();
    flushCompileCache();
  }

  getVmContext() {
    return null;
  }
}
