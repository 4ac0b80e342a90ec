// Jest environment without a context of its own: test files run on the globals of the worker process, and what a file changes of
// them is restored when it ends.
import { existsSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

  /** A test of a topology waits until the product that such tests share has started (../shared.ts), unless it has the address of another. */
  async setup() {
    const { TOPOLOGY } = globalThis;
    const { CLINIC_SHARED_PRODUCTS: folder } = process.env;
    const variable = `CLINIC_PUBLIC_API_${TOPOLOGY?.toUpperCase()}`;
    if (!TOPOLOGY || !folder || process.env[variable]) return;
    const file = path.join(folder, `${TOPOLOGY}.json`);
    while (!existsSync(file)) {
      if (process.connected === false) process.exit(1); // Jest has ended
      await sleep(20);
    }
    const { api, fault } = JSON.parse(readFileSync(file, 'utf8'));
    if (fault) throw new Error(fault);
    process.env[variable] = JSON.stringify(api);
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.#restore();
    flushCompileCache();
  }

  getVmContext() {
    return null;
  }
}
