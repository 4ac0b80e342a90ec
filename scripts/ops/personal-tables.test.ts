// Every table that a migration creates is declared by its module, so that exports and erasures include it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { COMMON_TABLES } from '@clinic/lib/privacy/personal-data.ts';
import { expect, test } from '@jest/globals';
import { MAIL_KINDS } from '../../services/messaging/mail/mail-texts-rules.ts';
import { PROJECT, SERVICES } from '../schemas.ts';
import { personalDataOf } from './personal-data.ts';

function createdIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.flatMap((name) => [...readFileSync(path.join(folder, name), 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table = '']) => table));
}

test.each(SERVICES)('%s', async (service) => {
  const folder = path.join(PROJECT, 'services', service);
  const { tables } = await personalDataOf(service);
  // If a table is missing, add it to `personal` of its module, with the export and erasure of its rows.
  expect([...new Set(tables.map(({ table }) => table))].sort()).toEqual(createdIn(path.join(folder, 'migrations')).sort());
});

test('mails to patients, and those that name patients, are searched for a patient', async () => {
  const { tables } = await personalDataOf('messaging');
  const { kinds = [], address } = tables.find(({ table }) => table === 'mails') ?? {};
  // If a kind is missing, add it to services/messaging/mail/module.ts, or here if it only concerns users of the clinic.
  const ofUsers = [
    ...['account_locked', 'chat_channel_failed', 'chat_number_gained', 'chat_number_lost', 'code_locked', 'demo_accepted', 'mfa_enabled', 'mfa_removed'],
    ...['new_device', 'password_changed', 'password_reset', 'pin_locked', 'report', 'subscription_expiring', 'user_created', 'user_invited'],
    'webhook_disabled',
  ];
  expect([...kinds, ...ofUsers].sort()).toEqual([...MAIL_KINDS].sort());
  expect(kinds.filter((kind) => !address?.kinds.includes(kind))).toEqual(['agenda', 'time_conflicts']);
});

test('a table whose rows are retained has a reason', async () => {
  for (const service of SERVICES) {
    const { tables } = await personalDataOf(service);
    const withoutReason = tables.filter(
      ({ ofPatient, search, erase, withClinic, ofClinic, why }) => !why && (withClinic === 'keep' || ofClinic === null || (ofPatient && !search && !erase)),
    );
    expect(withoutReason.map(({ table }) => `${service}.${table}`)).toEqual([]);
  }
});

test('the tables that every service has are declared', () => {
  // Streams, handled events, processes and days of jobs contain no personal data.
  const withoutPersons = ['published_stream', 'inbox', 'running_processes', 'daily_runs'];
  expect([...COMMON_TABLES.map(({ table }) => table), ...withoutPersons].sort()).toEqual(createdIn(path.join(PROJECT, 'lib/db/migrations')).sort());
});
