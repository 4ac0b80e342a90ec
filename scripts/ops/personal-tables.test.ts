// No table is forgotten when a patient or a clinic asks for their data: what the migrations make is what the modules declare.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PLUMBING_TABLES } from '@clinic/lib/privacy/personal-data.ts';
import { expect, test } from '@jest/globals';
import { PROJECT, SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

function made(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.flatMap((name) => [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table = '']) => table));
}

test.each(SERVICES)('%s', async (service) => {
  const room = path.join(PROJECT, 'services', service);
  const { tables } = await personalDataOf(service);
  // One that is missing: name it in the `personal` of its module, with what becomes of its rows.
  expect([...new Set(tables.map(({ table }) => table))].sort()).toEqual(made(path.join(room, 'migrations')).sort());
});

test('what is kept says why', async () => {
  for (const service of SERVICES) {
    const { tables } = await personalDataOf(service);
    const silent = tables.filter(
      ({ ofPatient, search, erase, withClinic, ofClinic, why }) => !why && (withClinic === 'keep' || ofClinic === null || (ofPatient && !search && !erase)),
    );
    expect(silent.map(({ table }) => `${service}.${table}`)).toEqual([]);
  }
});

test('every table that each service has is known', () => {
  // Streams, handled events and processes are nobody's.
  const nobodys = ['published_stream', 'inbox', 'running_processes'];
  expect([...PLUMBING_TABLES.map(({ table }) => table), ...nobodys].sort()).toEqual(made(path.join(PROJECT, 'lib/db/migrations')).sort());
});
