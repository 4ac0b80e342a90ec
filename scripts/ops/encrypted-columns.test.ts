// Every encrypted column that a migration creates is declared by its module, so that key rotation includes it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

const serviceFile = (service: string, ...rest: string[]) => path.join(PROJECT, 'services', service, ...rest);

const ENCRYPTED_COLUMN = /(\w+_sealed) bytea/g; // plain-words: sealed is in the names of columns

function encryptedInMigrations(service: string): string[] {
  const files = readdirSync(serviceFile(service, 'migrations')).filter((name) => name.endsWith('.sql'));
  return files.flatMap((name) =>
    [...readFileSync(serviceFile(service, 'migrations', name), 'utf8').matchAll(ENCRYPTED_COLUMN)].map(([, column = '']) => column),
  );
}

/** Columns encrypted with a separate key that a declared column contains: rotation reencrypts that key. */
// plain-words: sealed is in the names of columns
const BY_OWN_KEY: Record<string, string[]> = { scheduling: ['content_sealed'] }; // patient_file_chunks, by key_sealed of patient_files

test.each(SERVICES)('%s', async (service) => {
  const named = (await personalDataOf(service)).encrypted;
  // If a column is missing, add it to `encrypted` of its module, with its encryption context.
  expect([...named.map(({ column }) => column), ...(BY_OWN_KEY[service] ?? [])].sort()).toEqual(encryptedInMigrations(service).sort());
});
