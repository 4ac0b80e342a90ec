// A frozen process (SIGSTOP) keeps its connections but does not respond: requests that need it end with 503 within 4 seconds, and succeed as soon as
// it continues.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { commandLine } from '../../scripts/dev/embedded/leftover.ts';
import { familyOf, signal } from '../../scripts/processes.ts';
import { type Api, apiAt } from '../api.ts';
import { type Clinic, newClinic } from '../clinic.ts';
import type { OwnProduct } from '../own-product.ts';

export const testFrozenProcesses = (product: () => OwnProduct) =>
  describe('a frozen process', () => {
    let api: Api;
    let clinic: Clinic;

    beforeAll(async () => {
      api = apiAt(product().api, { once: true });
      clinic = await newClinic(api);
    });

    /** Signals the process of the product whose command contains `part`, and its children. */
    function signalTo(part: string, name: NodeJS.Signals): void {
      const found = familyOf(product().pid as number).filter((pid) => commandLine(pid).includes(part));
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
        // The quickest response, because other work on the machine delays some.
        expect(Math.min(...answers.map(({ ms }) => ms))).toBeLessThan(4_000);
      } finally {
        signalTo(part, 'SIGCONT');
      }
      await waitFor(async () => (await read()).status === 200);
    });
  });
