// A sender that is killed at any point: another one sends its messages within seconds, in order per phone, none twice and none lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { asSystem, closeDb, type Db, inTenant, openDb } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { type TestDatabase, testDatabase } from '@clinic/lib/testing/database.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { encryptChannelSecret } from '../channel/channel-secrets.ts';
import { type FakeChatProvider, startFakeChatProvider } from '../testing/fake-chat-provider.ts';
import { applyStatuses } from './apply-statuses.ts';
import { sendMessage } from './send.ts';

const clinicId = randomUUID();
let database: TestDatabase;
let db: Db;
let owner: pg.Pool;
let provider: FakeChatProvider;
const senders: ChildProcess[] = [];

beforeAll(async () => {
  database = await testDatabase();
  provider = await startFakeChatProvider();
  db = openDb(database.urls('messaging'), { schema: 'messaging', max: 4, log: createLog('test', 'silent') });
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2, options: '-c search_path=messaging' });
  const token = encryptChannelSecret(testRing, clinicId, 'access_token', 'a-token');
  // plain-words: sealed is in the name of the column
  await owner.query("insert into channels (clinic_id, status, phone_number_id, proven_number_id, access_token_sealed) values ($1, 'active', 'n', 'n', $2)", [
    clinicId,
    token,
  ]);
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await kill(sender);
  provider.forget();
});
afterAll(async () => {
  await owner.end();
  await closeDb(db);
  await provider.stop();
  await database.drop();
});

function start(): ChildProcess {
  const sender = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/sender-process.ts'), database.ownerUrl, provider.url], {
    stdio: 'inherit',
  });
  senders.push(sender);
  return sender;
}
async function kill(sender: ChildProcess): Promise<void> {
  if (sender.exitCode !== null || sender.signalCode !== null) return;
  const ended = once(sender, 'exit');
  sender.kill('SIGKILL');
  await ended;
}
/** Stores messages to a phone whose window is open, and returns their texts. */
async function queue(phone: string, count: number): Promise<string[]> {
  await owner.query("insert into conversations (clinic_id, id, phone, window_expires_at) values ($1, gen_random_uuid(), $2, now() + interval '1 hour')", [
    clinicId,
    phone,
  ]);
  const texts = Array.from({ length: count }, (_, index) => `${phone} ${index}`);
  for (const text of texts) {
    await inTenant(db, clinicId, (tx) => sendMessage(tx, { phone, kind: 'bot', content: { text }, sender: 'bot' }, new Date()));
  }
  return texts;
}
const sentTo = (phone: string): string[] =>
  provider
    .sent()
    .filter(({ to }) => to === phone.slice(1))
    .map(({ text }) => text.body);
/** Applies a status for each message that the provider has received, as its webhook would. */
const reportStatuses = () =>
  asSystem(db, (tx) =>
    applyStatuses(
      tx,
      createLog('test', 'silent'),
      provider.sent().map(({ biz_opaque_callback_data: callback }) => ({
        clinicId,
        numberId: 'n',
        callback,
        providerId: `wamid.${callback}`,
        status: 'sent',
        code: 0,
        message: '',
      })),
      new Date(),
    ),
  );
const open = async () => (await owner.query("select count(*)::int as n from outbound where state in ('queued', 'sending', 'uncertain')")).rows[0].n;

test('while the provider has not responded to some calls', async () => {
  const phones = ['+50370000001', '+50370000002', '+50370000003'];
  const texts = new Map<string, string[]>();
  for (const phone of phones) texts.set(phone, await queue(phone, 6));
  for (const calls of [2, 7]) {
    provider.next(
      '/messages',
      ...Array.from({ length: calls + phones.length }, (_, index) => ({ wait: () => (index < calls ? undefined : new Promise(() => {})) as Promise<void> })),
    );
    const seen = provider.sent().length;
    const sender = start();
    await waitFor(() => provider.sent().length >= seen + calls + phones.length);
    await kill(sender);
    await reportStatuses();
  }
  start();
  await waitFor(async () => (await open()) === 0);
  for (const phone of phones) expect(sentTo(phone)).toEqual(texts.get(phone));
  const { rows } = await owner.query('select distinct status from messages');
  expect(rows).toEqual([{ status: 'sent' }]);
});

test('after claiming messages but before transmitting them: they are sent at once, and none is uncertain', async () => {
  const phones = ['+50370000011', '+50370000012'];
  const texts = new Map<string, string[]>();
  for (const phone of phones) texts.set(phone, await queue(phone, 2));
  const holder = await owner.connect();
  await holder.query('begin; lock table conversations in access exclusive mode');
  const sender = start();
  await waitFor(async () => (await owner.query("select count(*)::int as n from outbound where state = 'sending'")).rows[0].n === phones.length);
  await kill(sender);
  await holder.query('rollback');
  holder.release();
  start();
  await waitFor(() => phones.every((phone) => sentTo(phone).length === 2), 60_000);
  await waitFor(async () => (await open()) === 0, 60_000);
  for (const phone of phones) expect(sentTo(phone)).toEqual(texts.get(phone));
  const { rows } = await owner.query("select count(*)::int as n from outbound where error_code <> ''");
  expect(rows[0].n).toBe(0);
});
