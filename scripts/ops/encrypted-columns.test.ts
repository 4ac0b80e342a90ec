// No sealed column is forgotten when keys are rotated: what the migrations make is what the modules declare.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

const room = (service: string, ...rest: string[]) => path.join(PROJECT, 'services', service, ...rest);

function made(service: string): string[] {
  const files = readdirSync(room(service, 'migrations')).filter((name) => name.endsWith('.sql'));
  return files.flatMap((name) => [...readFileSync(room(service, 'migrations', name), 'utf8').matchAll(/(\w+_sealed) bytea/g)].map(([, column = '']) => column));
}

test.each(SERVICES)('%s', async (service) => {
  const named = (await personalDataOf(service)).encrypted;
  // One that is missing: name it in the `encrypted` of its module, with the context that it is sealed for.
  expect(named.map(({ column }) => column).sort()).toEqual(made(service).sort());
});
