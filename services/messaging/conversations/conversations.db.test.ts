// Actions of users on conversations, FAQ entries and canned replies, and the mails of all services.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { linkToken } from '@clinic/lib/crypto/link-token.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { asAdmin, asKey, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { testRing } from '@clinic/lib/testing/settings.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import type { FileChunk } from '@clinic/proto/common/v1/file_pb.js';
import { DemoAcceptedSchema } from '@clinic/proto/events/v1/platform_pb.js';
import { CannedReplyService } from '@clinic/proto/messaging/v1/canned_reply_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import { TimelineService } from '@clinic/proto/messaging/v1/timeline_pb.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type App, createClients } from '../app.ts';
import { onDemoAccepted } from '../mail/on-demo-accepted.ts';
import { delivery, envelope, type Messaging, startMessaging } from '../testing/messaging.ts';
import { type ShiftedClock, shiftedClock } from '../testing/shifted-clock.ts';
import { endSilentTakeovers } from './conversations.sql.ts';
import { onPatientChanged } from './on-patient-changed.ts';

let m: Messaging;
let clock: ShiftedClock;
const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-mail-'));
beforeAll(async () => {
  clock = shiftedClock();
  m = await startMessaging({ clock, settings: { DATA_DIR: folder } });
});
beforeEach(() => m.provider.forget());
afterAll(async () => {
  await m.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Joins the chunks of a file. */
async function fileOf(chunks: AsyncIterable<FileChunk>) {
  const all: FileChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return { head: all[0]?.head, content: Buffer.concat(all.map(({ content }) => content)), pieces: all.length };
}

const phone = '+50370004444';
const write = async (numberId: string, text = 'Hola') => {
  await m.deliver(delivery(numberId, phone.slice(1), { text, at: Math.floor(clock.now().getTime() / 1000) }));
  await m.settled();
};
const modeOf = async (user: ReturnType<typeof asUser>) => (await m.conversations.listConversations({}, user)).conversations[0]?.mode;

test('the timeline contains the times of messages with a phone, but not their texts', async () => {
  const clinic = await m.clinic();
  await write(clinic.numberId, 'Me duele la muela');
  const list = async (phones: string[], user = clinic.user) =>
    (await m.service.client(TimelineService).listTimelineEntries({ phones, limit: 500 }, user)).entries;
  const entries = await list([phone]);
  expect(entries.at(-1)).toMatchObject({ kind: 'message', title: 'in' });
  expect(JSON.stringify(entries, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('muela');
  expect(await list(['+50370009999'])).toEqual([]);
  expect(await list([phone], (await m.clinic()).user)).toEqual([]);
});

test('an integration key sees messages without the tokens of links, which would let it sign or cancel as the patient', async () => {
  const clinic = await m.clinic();
  const link = (token: string) => `Firme aquí: https://clinic.example/forms/${token}`;
  const token = linkToken(testRing, 'clinic form', { clinicId: clinic.id, id: randomUUID() });
  await write(clinic.numberId, `${link(token)}, ${'a'.repeat(66)}`);
  const preview = "update conversations set last_message = $2, human_until = 'infinity', unread_count = 1 where clinic_id = $1";
  const seen = async (caller: typeof clinic.user) => {
    await m.look(preview, [clinic.id, link(token.slice(0, -1))]);
    return [
      (await m.conversations.listMessages({ phone }, caller)).messages.at(-1)?.text,
      (await m.conversations.listConversations({}, caller)).conversations[0]?.lastMessage,
      (await m.conversations.listWaitingConversations({}, caller)).conversations[0]?.lastMessage,
      (await m.conversations.takeOver({ phone }, caller)).lastMessage,
    ];
  };
  expect(await seen(clinic.user)).toEqual([`${link(token)}, ${'a'.repeat(66)}`, ...Array(3).fill(link(token.slice(0, -1)))]);
  expect(await seen(asKey(clinic.id))).toEqual([`${link('…')}, ${'a'.repeat(66)}`, ...Array(3).fill(link('…'))]);
});

test('a read receipt for the newest message is sent', async () => {
  const clinic = await m.clinic();
  await m.deliver(delivery(clinic.numberId, phone.slice(1), { id: `wamid.old.${clinic.id}` }, { id: `wamid.new.${clinic.id}` }));
  await m.settled();
  await m.conversations.markRead({ phone }, clinic.user);
  await m.conversations.markRead({ phone }, clinic.user);
  await waitFor(() => m.provider.receipts().length > 0);
  expect(m.provider.receipts()).toEqual([{ messaging_product: 'whatsapp', status: 'read', message_id: `wamid.new.${clinic.id}` }]);
  await m.deliver(delivery(clinic.numberId, phone.slice(1), { id: `wamid.next.${clinic.id}` }));
  const preference = { wa_id: phone.slice(1), category: 'marketing_messages', value: 'stop', timestamp: Math.floor(Date.now() / 1000) };
  await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, user_preferences: [preference] })); // has no id of the provider
  await m.settled();
  await m.conversations.reply({ phone, message: 'Con gusto' }, clinic.user);
  await waitFor(() => m.provider.receipts().length === 2);
  expect(m.provider.receipts()[1]).toMatchObject({ message_id: `wamid.next.${clinic.id}` });
});

describe('a takeover', () => {
  test('lasts until release', async () => {
    const clinic = await m.clinic();
    await write(clinic.numberId);
    const userId = randomUUID();
    const user = asUser(clinic.id, { userId });
    expect(await m.conversations.takeOver({ phone }, user)).toMatchObject({ mode: 'human', assignedUserId: userId, unreadCount: 1 });
    expect(await m.conversations.markRead({ phone }, user)).toMatchObject({ unreadCount: 0 });
    expect(await m.conversations.release({ phone, close: true }, user)).toMatchObject({ mode: 'bot', status: 'closed' });
    await write(clinic.numberId, 'otra vez');
    expect((await m.conversations.listConversations({ status: 'open' }, user)).total).toBe(1);
  });

  test('of a user who hides the phone ends without returning the conversation to the bot, which cannot reply', async () => {
    const clinic = await m.clinic();
    const [key, timestamp] = ['SV.13491208655302741918', String(Math.floor(clock.now().getTime() / 1000))];
    const messages = [{ from_user_id: key, id: `wamid.hidden.${clinic.id}`, timestamp, type: 'text', text: { body: 'Hola' } }];
    await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, contacts: [{ profile: { name: 'Ana' }, user_id: key }], messages }));
    await m.settled();
    await m.conversations.takeOver({ phone: key }, clinic.user);
    const released = await m.conversations.release({ phone: key, close: true }, clinic.user);
    expect([released.mode, released.status, released.assignedUserId]).toEqual(['human', 'closed', undefined]);
  });

  test('by a reply is published once', async () => {
    const clinic = await m.clinic();
    await write(clinic.numberId);
    for (const message of ['Hola', '¿En qué le ayudo?']) await m.conversations.reply({ phone, message }, clinic.user);
    const events = await m.look("select payload from outbox where clinic_id = $1 and subject like '%conversation-updated' order by id", [clinic.id]);
    expect(events.filter(({ payload }) => payload.change === 'takeover')).toMatchObject([{ payload: { mode: 'human' } }]);
  });

  test('ends twelve hours after the last message of either side', async () => {
    const clinic = await m.clinic();
    await write(clinic.numberId);
    await m.conversations.takeOver({ phone }, clinic.user);
    clock.advance(11 * 3_600_000);
    await write(clinic.numberId, '¿Siguen ahí?');
    clock.advance(11 * 3_600_000);
    expect(await modeOf(clinic.user)).toBe('human');
    await m.conversations.reply({ phone, message: 'Sí' }, clinic.user);
    clock.advance(11.9 * 3_600_000);
    expect(await modeOf(clinic.user)).toBe('human');
    clock.advance(0.2 * 3_600_000);
    expect(await modeOf(clinic.user)).toBe('bot');
  });

  test('ends with others of the clinic in the order in which received messages lock conversations', async () => {
    const clinicId = randomUUID();
    const [first, second] = [randomUUID(), randomUUID()].sort();
    // The second one ends first, and no job ends either of them.
    const insert = 'insert into conversations (clinic_id, id, phone, human_until) values ($1, $2, $3, $4)';
    for (const id of [second, first]) await m.look(insert, [clinicId, id, id, id === second ? '2199-01-01' : '2199-01-02']);
    await m.look('analyze conversations'); // so that the rows are not read in the order of their ids by chance
    const { ownerUrl } = m.service.database;
    const other = new pg.Client({ connectionString: ownerUrl });
    await other.connect();
    await other.query('begin');
    const lock = (id?: string) => other.query('select from messaging.conversations where id = $1 for no key update nowait', [id]);
    await lock(first);
    const ending = inTenant(m.service.db, clinicId, (tx) => endSilentTakeovers(tx, new Date('2199-01-03')));
    await waitForLocked(ownerUrl);
    await lock(second).finally(() => other.end());
    expect((await ending).map(({ id }) => id).sort()).toEqual([first, second]);
  });

  test('may be assigned to another user of the clinic, and to nobody else', async () => {
    const clinic = await m.clinic();
    await write(clinic.numberId);
    const userId = randomUUID();
    await expect(m.conversations.takeOver({ phone, userId }, clinic.user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    m.answers.resolveAccess = () => ({ userActive: true });
    expect(await m.conversations.takeOver({ phone, userId }, clinic.user)).toMatchObject({ assignedUserId: userId });
    delete m.answers.resolveAccess;
  });
});

test('messages are listed page by page', async () => {
  const clinic = await m.clinic();
  for (const text of ['1', '2', '3', '4', '5']) await write(clinic.numberId, text);
  const first = await m.conversations.listMessages({ phone, limit: 2 }, clinic.user);
  expect([first.messages.map(({ text }) => text), first.hasMore]).toEqual([['5', '4'], true]);
  const rest = await m.conversations.listMessages({ phone, limit: 3, before: first.messages[1]?.id ?? '' }, clinic.user);
  expect([rest.messages.map(({ text }) => text), rest.hasMore]).toEqual([['3', '2', '1'], false]);
});

describe('a message to somebody who has never written', () => {
  const template = { name: 'saludo', language: 'es', variables: ['Rosa'] };
  const patient = { id: randomUUID(), fullName: 'Rosa Díaz', phone };
  beforeEach(() => {
    m.answers.findPatientByPhone = () => ({ patient });
  });
  afterEach(() => {
    m.answers.findPatientByPhone = () => ({});
  });

  test('a template opens the conversation with a patient, free text does not', async () => {
    const clinic = await m.clinic();
    await expect(m.conversations.reply({ phone, message: 'Hola' }, clinic.user)).rejects.toMatchObject({ reason: 'CHAT_WINDOW_CLOSED' });
    expect((await m.conversations.listConversations({}, clinic.user)).total).toBe(0);
    const sent = await m.conversations.reply({ phone, template }, clinic.user);
    await waitFor(() => m.provider.sent().some(({ template: { name } = { name: '' } }) => name === 'saludo'));
    const search = async (text: string) => (await m.conversations.listConversations({ search: text }, clinic.user)).total;
    expect(await Promise.all(['diaz ros', 'Díaz', phone.slice(2), ''].map(search))).toEqual([1, 1, 1, 1]);
    expect(await Promise.all(['diaz luz', 'osa', '%', '_', "'", '+-'].map(search))).toEqual([0, 0, 0, 0, 0, 0]);
    const { conversations } = await m.conversations.listConversations({ search: 'rosa' }, clinic.user);
    expect(conversations).toMatchObject([{ id: expect.any(String), phone, patientId: patient.id, patientName: 'Rosa Díaz', mode: 'human', unreadCount: 0 }]);
    expect((await m.conversations.listMessages({ phone }, clinic.user)).messages).toMatchObject([{ id: sent.id, type: 'template' }]);
    await expect(m.conversations.reply({ phone, message: 'Hola' }, clinic.user)).rejects.toMatchObject({ reason: 'CHAT_WINDOW_CLOSED' });
  });

  test('only patients can be written to', async () => {
    const clinic = await m.clinic();
    for (const found of [{}, { patient: { ...patient, isArchived: true } }]) {
      m.answers.findPatientByPhone = () => found;
      await expect(m.conversations.reply({ phone, template }, clinic.user)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
  });
});

test('a handler that has read a patient before a change does not replace what the handler of the change has stored', async () => {
  const clinic = await m.clinic();
  await write(clinic.numberId);
  const id = randomUUID();
  const rosa = { id, fullName: 'Rosa Díaz' };
  const read = Promise.withResolvers<object>();
  const states: (object | Promise<object>)[] = [read.promise, rosa, { ...rosa, phone }];
  const findPatients = async () => ({ patients: [await states.shift()] });
  const app = { db: m.service.db, clock, clinics: { callOptions: async () => ({}) }, scheduling: { lookup: { findPatients } } };
  const [created, updated] = onPatientChanged(app as unknown as App) as [Consumer, Consumer];
  const handle = (consumer: Consumer, revision: number) =>
    deliver(m.service.db, consumer, clinic.id, create(consumer.event, { patientId: id, patient: { patientId: id, revision } }));
  const names = async () => (await m.conversations.listConversations({}, clinic.user)).conversations.map(({ patientName }) => patientName);
  const late = handle(created, 1);
  await waitFor(() => expect(states).toHaveLength(2));
  await handle(updated, 2);
  read.resolve({ ...rosa, phone });
  await late;
  expect(await names()).toEqual(['Lucía']);
  await handle(updated, 3);
  expect(await names()).toEqual(['Rosa Díaz']);
});

test.each([[[0, 1]], [[1, 0]]])('the conversation of a merged record shows the remaining patient, in any order of the events: %j', async (order) => {
  const clinic = await m.clinic();
  await write(clinic.numberId);
  const [remaining, merged] = [
    { id: randomUUID(), fullName: 'Rosa Díaz', phone: '+50370004445', isArchived: false },
    { id: randomUUID(), fullName: 'Rosita Paz', phone, isArchived: false },
  ];
  let owner: typeof remaining | undefined = merged;
  const lookup = {
    findPatients: async ({ ids }: { ids: string[] }) => ({ patients: [remaining, merged].filter(({ id }) => ids.includes(id)) }),
    findPatientByPhone: async () => ({ patient: owner }),
  };
  const app = { db: m.service.db, clock, clinics: { callOptions: async () => ({}) }, scheduling: { lookup } };
  const [, updated] = onPatientChanged(app as unknown as App) as [Consumer, Consumer];
  let revision = 0;
  const handle = async (...patients: (typeof remaining)[]) => {
    for (const { id: patientId } of patients)
      await deliver(m.service.db, updated, clinic.id, create(updated.event, { patientId, patient: { patientId, revision: ++revision } }));
    const { conversations } = await m.conversations.listConversations({ search: 'lucia' }, clinic.user);
    const [shown] = (await m.conversations.listConversations({}, clinic.user)).conversations;
    return [shown?.patientId, shown?.patientName, conversations.length];
  };
  const both = order.map((place) => [remaining, merged][place] as typeof remaining);
  expect(await handle(merged)).toEqual([merged.id, 'Rosita Paz', 0]);
  merged.isArchived = true;
  owner = remaining;
  expect(await handle(...both)).toEqual([remaining.id, 'Rosa Díaz', 0]);
  remaining.fullName = 'Rosa Luz Díaz';
  expect(await handle(remaining)).toEqual([remaining.id, 'Rosa Luz Díaz', 0]);
  merged.isArchived = false;
  owner = merged;
  expect(await handle(...both)).toEqual([merged.id, 'Rosita Paz', 0]);
  // Without a patient, the conversation shows the profile name and is found by it.
  merged.isArchived = true;
  expect(await handle(merged)).toEqual([undefined, 'Lucía', 1]);
  merged.isArchived = false;
  expect(await handle(merged)).toEqual([merged.id, 'Rosita Paz', 0]);
  merged.phone = '+50370004446';
  owner = undefined;
  expect(await handle(merged)).toEqual([undefined, 'Lucía', 1]);
});

test('without a working number, users cannot reply', async () => {
  const clinic = await m.clinic();
  await write(clinic.numberId);
  await m.look("update channels set status = 'failed', detail = 'The access token is no longer valid: enter a new one' where clinic_id = $1", [clinic.id]);
  const reply = () => m.conversations.reply({ phone, message: 'Hola' }, clinic.user);
  await expect(reply()).rejects.toMatchObject({ reason: 'CHAT_NOT_CONNECTED', message: 'The access token is no longer valid: enter a new one' });
  await m.channels.disconnectChannel({}, clinic.admin);
  await expect(reply()).rejects.toMatchObject({ reason: 'CHAT_NOT_CONNECTED' });
  expect((await m.conversations.listMessages({ phone }, clinic.user)).messages).toHaveLength(1);
});

describe('a picture', () => {
  const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
  const received = async (mime_type: string, content?: object) => {
    const clinic = await m.clinic();
    const image = { id: 'media-1', mime_type, caption: 'Mi diente' };
    const message = { from: phone.slice(1), id: `wamid.${randomUUID()}`, timestamp: '1750000000', ...(content ?? { type: 'image', image }) };
    await m.deliver(envelope({ metadata: { phone_number_id: clinic.numberId }, messages: [message] }));
    await m.settled();
    const shown = (await m.conversations.listMessages({ phone }, clinic.user)).messages[0];
    return { clinic, shown, get: () => fileOf(m.conversations.getMedia({ phone, id: shown?.id ?? '' }, clinic.user)) };
  };

  test('is fetched with the token of the clinic', async () => {
    const { shown, get } = await received('image/jpeg');
    expect(shown).toMatchObject({
      type: 'image',
      text: 'Mi diente',
      media: { mimeType: 'image/jpeg', url: `/api/conversations/%2B50370004444/media/${shown?.id}` },
    });
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, mime_type: 'image/jpeg', file_size: 7 } });
    m.provider.next('/cdn', { body: jpeg });
    const file = await get();
    expect([file.head, file.content.equals(jpeg)]).toEqual([expect.objectContaining({ contentType: 'image/jpeg', etag: shown?.id }), true]);
    expect(m.provider.seen.at(-1)).toMatchObject({ path: '/cdn', token: 'Bearer EAAGtoken-of-the-tests' });
  });

  test.each([
    ['of a type that browsers run', { mime_type: 'image/svg+xml', file_size: 7 }, jpeg],
    ['said to be too large', { mime_type: 'image/jpeg', file_size: 5 * 1024 * 1024 + 1 }, jpeg],
    ['that is too large', { mime_type: 'image/jpeg' }, new Uint8Array(5 * 1024 * 1024 + 1).fill(0xff, 0, 1).fill(0xd8, 1, 2)],
    ['that is something else', { mime_type: 'image/jpeg', file_size: 6 }, Buffer.from('<html>')],
  ])('%s is not shown', async (_what, media, bytes) => {
    const { get } = await received('image/jpeg');
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, ...media } });
    m.provider.next('/cdn', { body: bytes });
    await expect(get()).rejects.toMatchObject({ reason: 'CHAT_MEDIA_REFUSED' });
  });

  test.each([
    ['a picture', 'image/jpeg', 5, jpeg],
    ['a video', 'video/mp4', 16, Buffer.from('    ftyp')],
    ['a document', 'application/pdf', 100, Buffer.from('%PDF-1.7')],
  ])('%s of the type %s comes in pieces, up to %d MB', async (_what, mime_type, mb, start) => {
    const { get } = await received(mime_type);
    const bytes = Buffer.alloc(mb * 1024 * 1024, 7);
    bytes.set(start);
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, mime_type, file_size: bytes.length } });
    m.provider.next('/cdn', { body: bytes });
    const file = await get();
    expect([file.content.length, file.content.equals(bytes), file.pieces > 1]).toEqual([bytes.length, true, true]);
  });

  test.each([
    ['receta.exe', 'application/msword', 'receta.exe.doc'],
    ['receta.DOC', 'application/msword; charset=binary', 'receta.DOC'],
    ['notas.html', 'text/plain', 'notas.html.txt'],
    ['pago.scr', 'application/pdf', 'pago.scr.pdf'],
    [undefined, 'application/vnd.ms-excel', 'documento.xls'],
  ])('as a document named %s of the type %s is downloaded as %s', async (filename, mime_type, expected) => {
    const { get } = await received('image/jpeg', { type: 'document', document: { id: 'media-1', mime_type, filename } });
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, mime_type } });
    m.provider.next('/cdn', { body: Buffer.from('%PDF-1.7') });
    expect((await get()).head?.filename).toBe(expected);
  });

  test('is fetched from the hosts of the provider only, and without following redirects', async () => {
    const { get } = await received('image/jpeg');
    const host = `127.0.0.1:${new URL(m.provider.url).port}`;
    const elsewhere = [`http://localhost:${new URL(m.provider.url).port}/cdn`, `https://${host}/cdn`, 'http://lookaside.fbsbx.com/cdn', 'file:///cdn', 'cdn'];
    for (const url of elsewhere) {
      m.provider.next('/media-1', { body: { url, mime_type: 'image/jpeg' } });
      await expect(get()).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR', message: 'The provider named a file outside its hosts' });
    }
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, mime_type: 'image/jpeg' } });
    m.provider.next('/cdn', { status: 302, location: `${m.provider.url}/elsewhere` });
    await expect(get()).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR' });
    expect(m.provider.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test('whose download is interrupted ends in an error', async () => {
    const { get } = await received('image/jpeg');
    m.provider.next('/media-1', { body: { url: `${m.provider.url}/cdn`, mime_type: 'image/jpeg' } });
    m.provider.next('/cdn', { hang: true });
    await expect(get()).rejects.toMatchObject({ reason: 'CHAT_PROVIDER_ERROR' });
  });

  test('of another clinic is not found', async () => {
    const { shown } = await received('image/jpeg');
    await expect(fileOf(m.conversations.getMedia({ phone, id: shown?.id ?? '' }, asUser(randomUUID())))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

describe('FAQ', () => {
  const faqs = () => m.service.client(FaqService);
  const entry = { category: 'parking', question: '¿Parqueo?', answer: 'Sí', keywords: [' Parqueo ', 'PARQUEO', 'estacionar  aquí', 'Párqueo'] };

  test('keywords are normalised, categories validated, inactive entries not listed', async () => {
    const id = randomUUID();
    const made = await faqs().createFaq(entry, asUser(id));
    expect(made).toMatchObject({ clinicId: id, category: 'parking', isActive: true, keywords: ['parqueo', 'estacionar aquí'] });
    await expect(faqs().createFaq({ ...entry, category: 'gossip' }, asUser(id))).rejects.toMatchObject({ details: [{ path: 'category' }] });
    expect(await faqs().updateFaq({ id: made.id, answer: 'No' }, asUser(id))).toMatchObject({ answer: 'No', keywords: ['parqueo', 'estacionar aquí'] });
    expect(await faqs().updateFaq({ id: made.id, keywords: { values: [] } }, asUser(id))).toMatchObject({ keywords: [] });
    expect((await faqs().listFaqs({}, asUser(id))).faqs).toHaveLength(1);
    await faqs().updateFaq({ id: made.id, isActive: false }, asUser(id));
    expect((await faqs().listFaqs({}, asUser(id))).faqs).toHaveLength(0);
    await expect(faqs().updateFaq({ id: made.id, answer: 'x' }, asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'FAQ not found' });
    await expect(faqs().deleteFaq({ id: made.id }, asUser(id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await faqs().deleteFaq({ id: made.id }, asAdmin(id));
    await expect(faqs().deleteFaq({ id: made.id }, asAdmin(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

test('canned replies have unique titles', async () => {
  const replies = m.service.client(CannedReplyService);
  const id = randomUUID();
  const made = await replies.createCannedReply({ title: 'Ubicación', body: 'Escalón' }, asUser(id));
  await expect(replies.createCannedReply({ title: 'UBICACIÓN', body: 'x' }, asUser(id))).rejects.toMatchObject({ reason: 'CANNED_REPLY_EXISTS' });
  await replies.createCannedReply({ title: 'Ubicación', body: 'x' }, asUser(randomUUID()));
  expect(await replies.updateCannedReply({ id: made.id, body: 'San Benito' }, asUser(id))).toMatchObject({ title: 'Ubicación', body: 'San Benito' });
  expect((await replies.listCannedReplies({}, asUser(id))).cannedReplies).toHaveLength(1);
  await replies.deleteCannedReply({ id: made.id }, asUser(id));
  await expect(replies.deleteCannedReply({ id: made.id }, asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a FAQ entry or canned reply that is saved without a change keeps its time and adds nothing to the audit log', async () => {
  const id = randomUUID();
  const [faqs, replies] = [m.service.client(FaqService), m.service.client(CannedReplyService)];
  const faq = await faqs.createFaq({ category: 'parking', question: '¿Parqueo?', answer: 'Sí', keywords: ['parqueo'] }, asUser(id));
  const reply = await replies.createCannedReply({ title: 'Ubicación', body: 'Escalón' }, asUser(id));
  expect(await faqs.updateFaq({ id: faq.id, question: '¿Parqueo?', keywords: { values: ['PARQUEO'] } }, asUser(id))).toEqual(faq);
  expect(await replies.updateCannedReply({ id: reply.id, title: 'Ubicación', body: 'Escalón' }, asUser(id))).toEqual(reply);
  const actions = await m.look('select action from audit_log where clinic_id = $1 order by id', [id]);
  expect(actions).toEqual([{ action: 'faq.created' }, { action: 'canned_reply.created' }]);
});

describe('mail', () => {
  beforeEach(() => rmSync(path.join(folder, 'mail'), { recursive: true, force: true }));
  const mails = () => m.service.client(MailService);
  const reset = { kind: 'password_reset', to: 'ana@example.com', parameters: { name: 'Ana', link: 'https://clinic.example/reset#secret-link' } };
  const written = () =>
    (readdirSync(folder).includes('mail') ? readdirSync(path.join(folder, 'mail')).filter((name) => name.endsWith('.txt')) : []).map((name) =>
      readFileSync(path.join(folder, 'mail', name), 'utf8'),
    );

  test('is written in Spanish, sent once for each reference, and deleted', async () => {
    const reference = randomUUID();
    const [one, two] = await Promise.all([
      mails().sendMail({ ...reset, reference }, asService('identity')),
      mails().sendMail({ ...reset, reference }, asService('identity')),
    ]);
    expect(one.id).toBe(two.id);
    const [stored] = await m.look("select encode(content_sealed, 'escape') || encode(to_sealed, 'escape') as text from mails where id = $1", [one.id]);
    expect(stored?.text ?? '').not.toMatch(/secret|ana@/);
    await waitFor(() => written().length === 1);
    expect(written()[0]).toMatch(/To: ana@example.com\nSubject: Restablezca su contraseña\n[\s\S]*secret-link/);
    await waitFor(
      async () =>
        (await m.look("select 1 from mails where id = $1 and state = 'sent' and content_sealed is null and to_sealed is null", [one.id])).length === 1,
    );
  });

  test('contains its files, which are encrypted until it is sent', async () => {
    const content = Buffer.from('%PDF of the patient');
    const document = {
      kind: 'document',
      to: 'ana@example.com',
      parameters: { name: 'Ana', clinic: 'Sol', text: 'Su factura', link: 'https://clinic.example/x' },
    };
    const file = { filename: 'A1-B2.pdf', contentType: 'application/pdf', content };
    const { id } = await mails().sendMail({ ...document, attachments: [file] }, asService('billing'));
    await waitFor(() => written().length === 1);
    expect(written()[0]).toContain(`Attached: ${id}-A1-B2.pdf\n`);
    expect(readFileSync(path.join(folder, 'mail', `${id}-A1-B2.pdf`))).toEqual(content);
    const wrong = [
      [{ ...file, filename: '../x.pdf' }],
      [{ ...file, filename: '' }],
      [{ ...file, contentType: 'text/plain\r\nBcc: x@y.z' }],
      [{ ...file, content: Buffer.alloc(2 * 1024 * 1024 + 1) }],
      Array.from({ length: 6 }, () => file),
    ];
    for (const attachments of wrong)
      await expect(mails().sendMail({ ...document, attachments }, asService('billing'))).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  });

  test('with the code of an accepted demo is sent once for repeated events, and not for a code that is revoked or expired', async () => {
    const DAY_MS = 86_400_000;
    const app = {
      clock,
      keys: testRing,
      publicUrl: 'https://clinic.example',
      ...createClients((name) => m.dependencies[name as keyof typeof m.dependencies]),
    } as unknown as App;
    const deliverEvent = (demoRequestId: string, days: number) => {
      const event = create(DemoAcceptedSchema, { demoRequestId, expiresAt: timestampFromDate(new Date(clock.now().getTime() + days * DAY_MS)) });
      return deliver(m.service.db, onDemoAccepted(app), '', event);
    };
    const [id, revoked] = [randomUUID(), randomUUID()];
    const invitation = { email: 'rosa@example.com', contactName: 'Rosa', clinicName: 'Clínica Sol', inviteCode: '7KQ2-M0XZ-94TB' };
    m.answers.getDemoInvitation = (asked: { id: string }) => (asked.id === id ? invitation : undefined);
    await Promise.all([deliverEvent(id, 7), deliverEvent(id, 7)]);
    await deliverEvent(revoked, 7);
    await deliverEvent(id, -1);
    await waitFor(() => written().length === 1);
    expect(written()[0]).toMatch(/To: rosa@example.com\n[\s\S]* {4}7KQ2-M0XZ-94TB\n[\s\S]*https:\/\/clinic.example\/register#code=7KQ2-M0XZ-94TB hasta el \d/);
    expect(await m.look("select id from mails where kind = 'demo_accepted'")).toHaveLength(1);
    m.answers.getDemoInvitation = () => {
      throw new ServiceError('UNAVAILABLE');
    };
    await expect(deliverEvent(randomUUID(), 7)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  test('with missing parameters or of an unknown kind is refused', async () => {
    await expect(mails().sendMail({ ...reset, parameters: { name: 'Ana' } }, asService('identity'))).rejects.toMatchObject({
      details: [{ path: 'parameters.link' }],
    });
    await expect(mails().sendMail({ ...reset, kind: 'spam' }, asService('identity'))).rejects.toMatchObject({ details: [{ path: 'kind' }] });
    await expect(mails().sendMail({ ...reset, to: 'a@b.c\nBcc: d@e.f' }, asService('identity'))).rejects.toMatchObject({ details: [{ path: 'to' }] });
    await expect(mails().sendMail(reset, asUser(randomUUID()))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });
});
