// Mails that could not be sent at once: an outdated mail is not sent, and no row is locked while the mail server is called.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, closeDb, type Db, openDb } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { startMailServer } from '@clinic/lib/testing/smtp-server.ts';
import { ListDeadLettersRequestSchema } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { listDeadLetters } from '../outbound/dead-letters.ts';
import { createMailer } from './mailer.ts';
import { insertMail } from './mails.sql.ts';
import { purgeMails } from './purge-mails.ts';
import { sendMail, sendMailJob } from './send-mail-job.ts';
import { mailContext } from './store-mail.ts';

const STORED_AT = new Date('2026-06-01T14:00:00Z');
let database: TestDatabase;
let db: Db;
let owner: pg.Pool;
const clock = manualClock(STORED_AT);
const sent: string[] = [];
beforeAll(async () => {
  database = await testDatabase();
  db = openDb(database.urls('messaging'), { schema: 'messaging', max: 2, log: createLog('test', 'silent') });
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2, options: '-c search_path=messaging' });
});
beforeEach(() => {
  clock.set(STORED_AT);
  sent.length = 0;
});
afterAll(async () => {
  await Promise.all([owner.end(), closeDb(db)]);
  await database.drop();
});

async function store(kind: string, parameters: object, reference: string | null = null): Promise<string> {
  const id = randomUUID();
  const content = JSON.stringify({ parameters, attachments: [] });
  const sealed = { to: encrypt(testRing, 'ana@example.com', mailContext(id, 'to')), content: encrypt(testRing, content, mailContext(id, 'content')) }; // plain-words: sealed is in the names of columns
  await asSystem(db, (tx) => insertMail(tx, { id, kind, reference, ...sealed }, STORED_AT)); // plain-words: sealed is in the names of columns
  return id;
}
const send = (id: string, mailer: () => Promise<void> = async () => {}) =>
  sendMail({ db, clock, keys: testRing, mailer: (mailId) => mailer().then(() => void sent.push(mailId)) }, id, 0);
const rowOf = async (id: string) => (await owner.query('select state, error, content_sealed from mails where id = $1', [id])).rows[0]; // plain-words: sealed is in the names of columns
const RESET = { name: 'Ana', link: 'https://example.com/#x' };
const AGENDA = { name: 'Ana', date: '1 de junio', text: 'Nada' };

test('a mail with an expired link is not sent; other mails are', async () => {
  const [reset, agenda] = [await store('password_reset', RESET), await store('agenda', AGENDA)];
  clock.advance(31 * 60_000);
  await Promise.all([send(reset), send(agenda)]);
  expect(sent).toEqual([agenda]);
  expect(await rowOf(reset)).toMatchObject({ state: 'dead', error: 'expired' });
  expect(await rowOf(agenda)).toMatchObject({ state: 'sent', content_sealed: null }); // plain-words: sealed is in the names of columns
});

const REMINDER = { clinic: 'Sonrisa', appointment: 'mañana', manage: 'https://example.com/manage/x' };
test.each([
  ['a code of a booking', 'booking_code', { clinic: 'Sonrisa', code: '123456' }, null, 10],
  ['the reminder of the day before', 'appointment_reminder', REMINDER, `${randomUUID()}/day/1`, 24 * 60],
  ['the reminder of two hours before', 'appointment_reminder', REMINDER, `${randomUUID()}/hours/1`, 90],
])('%s is sent while it is of use', async (_what, kind, parameters, reference, minutes) => {
  const [intime, late] = [await store(kind, parameters, reference), await store(kind, parameters, reference && `${reference}0`)];
  clock.advance(minutes * 60_000);
  await send(intime);
  clock.advance(1);
  await send(late);
  expect(sent).toEqual([intime]);
  expect(await rowOf(late)).toMatchObject({ state: 'dead', error: 'expired' });
});

test('a run lasts as long as nodemailer waits to connect and for a response, so that a slow server does not get the mail twice', () => {
  expect(sendMailJob({} as App).options.limitSeconds).toBeGreaterThan(2 * 60 + 2 * 60);
});

test('a mail that the server refuses is retried, and one that was sent is not', async () => {
  const id = await store('agenda', AGENDA);
  await expect(send(id, () => Promise.reject(Object.assign(new Error('no'), { code: 'EENVELOPE' })))).rejects.toThrow('no');
  const retrying = await listDeadLetters({ db }, create(ListDeadLettersRequestSchema, { state: 'retrying' }));
  expect(retrying.deadLetters).toMatchObject([{ id, channel: 'mail', status: 'retrying', attempts: 1, error: 'EENVELOPE' }]);
  expect(await rowOf(id)).toMatchObject({ state: 'queued', error: 'EENVELOPE' });
  await send(id);
  await send(id);
  expect(sent).toEqual([id]);
});

test('a mail whose connection is lost during the transmission arrives once', async () => {
  const server = await startMailServer();
  const mailer = createMailer({ smtpUrl: server.url, from: 'no-reply@clinic.example', folder: '/nowhere' });
  const id = await store('agenda', AGENDA);
  const attempt = () => sendMail({ db, clock, keys: testRing, mailer }, id, 0);
  server.losses = 1;
  await expect(attempt()).rejects.toThrow('mail server 127.0.0.1');
  expect(await rowOf(id)).toMatchObject({ state: 'queued' });
  await attempt();
  await attempt();
  expect(server.mails.map(({ messageId }) => messageId)).toEqual([`<${id}@clinic.example>`]);
  await server.close();
});

test('the row is not locked while the mail server is called', async () => {
  const id = await store('agenda', AGENDA);
  await send(id, async () => {
    await owner.query('select from mails where id = $1 for update nowait', [id]);
  });
  expect(sent).toEqual([id]);
});

test('mails that were written as files are deleted 30 days later', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'clinic-mails-'));
  const folder = path.join(dataDir, 'mail');
  mkdirSync(folder);
  const writtenAt = (days: number) => v7({ msecs: STORED_AT.getTime() + days * 86_400_000 });
  const [old, recent] = [writtenAt(0), writtenAt(2)];
  for (const name of [`${old}.txt`, `${old}-agenda.pdf`, `${recent}.txt`]) writeFileSync(path.join(folder, name), '');
  clock.set(new Date(STORED_AT.getTime() + 31 * 86_400_000));
  await purgeMails({ db, clock, dataDir });
  expect(readdirSync(folder)).toEqual([`${recent}.txt`]);
  rmSync(dataDir, { recursive: true });
});

test('sent and dead mails are deleted after their retention', async () => {
  const [sentMail, deadMail, queued] = [await store('agenda', AGENDA), await store('password_reset', RESET), await store('agenda', AGENDA)];
  await send(sentMail);
  await owner.query(`update mails set state = 'dead' where id = $1`, [deadMail]);
  const left = async (days: number) => {
    clock.set(new Date(STORED_AT.getTime() + days * 86_400_000));
    await purgeMails({ db, clock, dataDir: '/nowhere' });
    return (await owner.query('select id from mails where id = any($1)', [[sentMail, deadMail, queued]])).rows.map(({ id }) => id).toSorted();
  };
  expect(await left(59)).toEqual([sentMail, deadMail, queued].toSorted());
  expect(await left(61)).toEqual([deadMail, queued].toSorted());
  expect(await left(401)).toEqual([queued]);
});
