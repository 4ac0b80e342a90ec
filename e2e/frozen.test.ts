// A process that is stopped in its tracks (SIGSTOP) keeps its connections and answers nothing: requests that need it end with 503 within
// 4 seconds, and succeed as soon as it goes on. It stops processes, so it has a product of its own, in which each service is one.
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { commandLine } from '../scripts/dev/embedded/leftover.ts';
import { familyOf, signal } from '../scripts/processes.ts';
import { type Api, apiAt } from './api.ts';
import { type Clinic, newClinic } from './clinic.ts';
import { type OwnProduct, startOwnProduct } from './own-product.ts';

const inProcesses = publicApi().topology === 'distributed' ? describe : describe.skip;

inProcesses('a frozen process', () => {
  let product: OwnProduct;
  let api: Api;
  let clinic: Clinic;

  beforeAll(async () => {
    product = await startOwnProduct({}, 'distributed');
    api = apiAt(product.api, { once: true });
    clinic = await newClinic(api);
  });
  afterAll(async () => {
    await product?.stop();
  });

  /** To the processes of the product whose command has `part`, and to their children. */
  function signalTo(part: string, name: NodeJS.Signals): void {
    const found = familyOf(product.pid as number).filter((pid) => commandLine(pid).includes(part));
    expect(found).toHaveLength(1);
    signal(found.flatMap(familyOf), name);
  }

  async function read() {
    const began = performance.now();
    const { status } = await api.get('/api/doctors', clinic);
    return { status, ms: performance.now() - began };
  }

  test.each(['services/identity/main.ts', 'services/scheduling/main.ts', 'bin/postgres'])('%s', async (part) => {
    await waitFor(async () => (await read()).status === 200);
    signalTo(part, 'SIGSTOP');
    try {
      const answers = [...(await Promise.all(Array.from({ length: 12 }, read))), await read()];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503));
      // Where the machine has time: others use it too.
      expect(Math.min(...answers.map(({ ms }) => ms))).toBeLessThan(4_000);
    } finally {
      signalTo(part, 'SIGCONT');
    }
    await waitFor(async () => (await read()).status === 200);
  });
});
