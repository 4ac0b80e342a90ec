// Conversations, one for each phone. The lock of a conversation's row protects the decision whether the bot or the staff reply.
import { type Db, execute, getRow, readSystem, readTenant, row, rows, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ConversationUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { v7 } from 'uuid';
import { shownText } from './shown-text.ts';
import { type HandoverReason, modeOf, takeoverEnd } from './takeover-rules.ts';

export type ConversationRow = {
  clinic_id: string;
  id: string;
  phone: string;
  patient_id: string | null;
  patient_name: string | null;
  patient_checked_at: Date | null;
  profile_name: string | null;
  status: 'open' | 'closed';
  /** Until when the staff reply instead of the bot. Infinity for users who hide their phone. */
  human_until: Date | number | null;
  /** Why the bot handed it over; null when a user has taken it over, or the bot replies. */
  handover_reason: HandoverReason | null;
  assigned_user_id: string | null;
  unread_count: number;
  last_message: string | null;
  last_message_at: Date | null;
  window_expires_at: Date | null;
  revision: number;
};

export function toProto(conversation: ConversationRow, call: Pick<Call, 'caller'>, now: Date) {
  const mode = modeOf(conversation.human_until, now);
  const { assignedUserId, handoverReason, ...fields } = toFields(conversation);
  const patientName = conversation.patient_name ?? conversation.profile_name ?? undefined;
  const lastMessage = shownText(call, fields.lastMessage);
  return { ...fields, patientName, lastMessage, mode, ...(mode === 'human' && { assignedUserId, handoverReason }) };
}

const COLUMNS = `clinic_id, id, phone, patient_id, patient_name, patient_checked_at, profile_name, status, human_until, handover_reason, assigned_user_id,
  unread_count,  last_message, last_message_at, window_expires_at, revision`;

export type ChangedConversation = Pick<ConversationRow, 'clinic_id' | 'id' | 'patient_id' | 'human_until' | 'handover_reason' | 'unread_count' | 'revision'>;

export type Change = 'message' | 'takeover' | 'release' | 'read';

/** Publishes ConversationUpdated. */
export const emitUpdated = (tx: Tx, conversation: ChangedConversation, change: Change, now: Date) => emitAllUpdated(tx, [conversation], change, now);

/** Publishes ConversationUpdated of many conversations at once. */
export function emitAllUpdated(tx: Tx, conversations: ChangedConversation[], change: Change, now: Date): Promise<void> {
  const events = conversations.map(({ clinic_id: clinicId, id, patient_id, human_until, handover_reason, unread_count, revision }) => {
    const mode = modeOf(human_until, now);
    const handoverReason = (mode === 'human' && handover_reason) || '';
    return { clinicId, init: { conversationId: id, patientId: patient_id ?? '', mode, unreadCount: unread_count, change, revision, handoverReason } };
  });
  return emitAll(tx, ConversationUpdatedSchema, events);
}

const findByPhoneStatement = sql<ConversationRow>(`select ${COLUMNS} from conversations where clinic_id = $1 and phone = $2`);
const lockByPhoneStatement = sql<ConversationRow>(`select ${COLUMNS} from conversations where clinic_id = $1 and phone = $2 for no key update`);

/** In one round trip, without a transaction. */
export const findConversationOf = async (db: Db, clinicId: string, phone: string) =>
  (await readTenant(db, clinicId, findByPhoneStatement, [clinicId, phone]))[0];
export const findConversationByPhone = (tx: TenantTx, phone: string) => row(tx, findByPhoneStatement, [tx.clinicId, phone]);
export const lockConversationByPhone = (tx: TenantTx, phone: string) => row(tx, lockByPhoneStatement, [tx.clinicId, phone]);

const phonesStatement = sql<{ id: string; phone: string }>('select id, phone from conversations where clinic_id = $1 and id = any($2)');

/** In one round trip, without a transaction. */
export const listPhonesOf = (db: Db, clinicId: string, ids: string[]) => readTenant(db, clinicId, phonesStatement, [clinicId, ids]);

const ensureStatement = sql(`
  insert into conversations (clinic_id, id, phone)
  select * from unnest($1::uuid[], $2::uuid[], $3::text[]) as n (clinic_id, id, phone) order by clinic_id, phone
  on conflict on constraint conversations_phone_unique do nothing`);
const lockAllStatement = sql<ConversationRow>(`
  select ${COLUMNS} from conversations c join unnest($1::uuid[], $2::text[]) as n (clinic_id, phone) using (clinic_id, phone)
  order by c.clinic_id, c.id for no key update of c`);

/** The conversations of different phones, created where there is none, locked until the transaction ends. In the order of the phones. */
export async function ensureConversations(tx: Tx, phones: { clinic_id: string; phone: string }[]): Promise<ConversationRow[]> {
  const [clinicIds, numbers] = [phones.map(({ clinic_id }) => clinic_id), phones.map(({ phone }) => phone)];
  const ids = phones.map(() => v7());
  const [, locked] = await Promise.all([execute(tx, ensureStatement, [clinicIds, ids, numbers]), rows(tx, lockAllStatement, [clinicIds, numbers])]);
  const known = new Map(locked.map((one) => [one.clinic_id + one.phone, one]));
  return phones.map(({ clinic_id, phone }) => known.get(clinic_id + phone) as ConversationRow);
}

const takeOverStatement = sql<ConversationRow>(`
  update conversations set human_until = greatest(human_until, $3), assigned_user_id = $4, status = 'open', revision = revision + 1,
    handover_reason = case when human_until > $5 then handover_reason end
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

/** Hands the conversation to the staff, and assigns it to the user; null assigns it to none. */
export const takeOver = (tx: TenantTx, id: string, userId: string | null, now: Date) =>
  getRow(tx, takeOverStatement, [tx.clinicId, id, takeoverEnd(now), userId, now]);

const releaseStatement = sql<ConversationRow>(`
  update conversations set human_until = case when human_until = 'infinity' then human_until end, handover_reason = null, assigned_user_id = null,
    status = case when $3 then 'closed' else status end, revision = revision + 1
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

/** Returns the conversation to the bot, unless the user hides the phone, because the bot cannot reply then. */
export const release = (tx: TenantTx, id: string, close: boolean) => getRow(tx, releaseStatement, [tx.clinicId, id, close]);

const readStatement = sql<ConversationRow>(`
  update conversations set unread_count = 0, revision = revision + 1 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

export const markRead = (tx: TenantTx, id: string) => getRow(tx, readStatement, [tx.clinicId, id]);

const outgoingStatement = sql<ChangedConversation>(`
  update conversations c set last_message = n.preview, last_message_at = greatest(c.last_message_at, $4), revision = c.revision + 1,
    human_until = case when c.human_until > $4 then greatest(c.human_until, $5) else c.human_until end
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as n (clinic_id, id, preview)
  where c.clinic_id = n.clinic_id and c.id = n.id
  returning c.clinic_id, c.id, c.patient_id, c.human_until, c.handover_reason, c.unread_count, c.revision`);

/** Records an outgoing message of each conversation as the newest one. A takeover that has not ended is extended. */
export const recordOutgoing = (tx: Tx, messages: { clinic_id: string; conversation_id: string; preview: string }[], now: Date) =>
  rows(tx, outgoingStatement, [
    messages.map(({ clinic_id }) => clinic_id),
    messages.map(({ conversation_id }) => conversation_id),
    messages.map(({ preview }) => preview),
    now,
    takeoverEnd(now),
  ]);

const linkPatientStatement = sql(`
  update conversations set patient_id = $3, patient_name = $4, search_name = $5, patient_checked_at = $6 where clinic_id = $1 and phone = $2`);

/** Records the patient to whom the phone belongs according to scheduling. */
export const linkPatient = (tx: Tx, clinicId: string, phone: string, patient: { id: string; name: string }, now: Date) =>
  execute(tx, linkPatientStatement, [clinicId, phone, patient.id, patient.name, searchName(patient.name), now]);

const unlinkPatientStatement = sql(`
  update conversations set patient_id = null, patient_name = null, search_name = $3, patient_checked_at = null where clinic_id = $1 and phone = $2`);

/** Removes the patient of the conversation, which then shows the profile name and is found by it. */
export const unlinkPatient = (tx: Tx, clinicId: string, { phone, profile_name }: Pick<ConversationRow, 'phone' | 'profile_name'>) =>
  execute(tx, unlinkPatientStatement, [clinicId, phone, searchName(profile_name ?? '')]);

const ofPatients = (lock: string) =>
  sql<Pick<ConversationRow, 'phone' | 'patient_id' | 'profile_name'>>(`
  select phone, patient_id, profile_name from conversations where clinic_id = $1 and (patient_id = any($2) or phone = any($3)) order by id ${lock}`);
const listOfPatientsStatement = ofPatients('');
const lockOfPatientsStatement = ofPatients('for no key update');

/** The conversations that show one of the patients or have one of the phones. In one round trip, without a transaction. */
export const listConversationsOfPatients = (db: Db, clinicId: string, ids: string[], phones: string[]) =>
  readTenant(db, clinicId, listOfPatientsStatement, [clinicId, ids, phones]);

/** The same, locked until the transaction ends. */
export const lockConversationsOfPatients = (tx: Tx, clinicId: string, ids: string[], phones: string[]) =>
  rows(tx, lockOfPatientsStatement, [clinicId, ids, phones]);

const page = (condition: string) =>
  sql<ConversationRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from conversations where clinic_id = $1 and ($4 = '' or status = $4) and ${condition}) counted
  left join lateral (
    select ${COLUMNS} from conversations where clinic_id = $1 and ($4 = '' or status = $4) and ${condition}
    order by last_message_at desc nulls last, id limit $2 offset $3
  ) page on true`);

const matching = (column: string) => page(`cardinality($5::text[]) > 0 and ${column} like all($5)`);
const pageStatements = { all: page('true'), name: matching('search_name'), phone: matching('phone') };

export type Search = { kind: 'all' | 'name' | 'phone'; patterns: string[] };

/** Conversations with the status, or with any status if it is '', whose name or phone matches all patterns; the newest first. No patterns match nothing. */
export function listConversations(db: Db, clinicId: string, { limit, offset }: Page, status: string, { kind, patterns }: Search) {
  const values = [clinicId, limit, offset, status, ...(kind === 'all' ? [] : [patterns])];
  return readPage(db, clinicId, pageStatements[kind], values);
}

// Conversations that a user has taken over or the bot has handed over, with unread messages.
const IS_WAITING = `clinic_id = $1 and status = 'open' and unread_count > 0 and human_until > $2`;

const listWaitingStatement = sql<ConversationRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from conversations where ${IS_WAITING}) counted
  left join lateral (select ${COLUMNS} from conversations where ${IS_WAITING} order by last_message_at nulls last, id limit $3) page on true`);

/** Conversations that wait for a person, the longest waiting first. */
export const listWaitingConversations = (db: Db, clinicId: string, now: Date, limit: number) =>
  readPage(db, clinicId, listWaitingStatement, [clinicId, now, limit]);

// Locked in the order of received-messages.sql.ts.
const endTakeoversStatement = sql<ConversationRow>(`
  update conversations set human_until = null, handover_reason = null, assigned_user_id = null, revision = revision + 1
  where clinic_id = $1 and id = any(array(select id from conversations where clinic_id = $1 and human_until <= $2 order by id for no key update))
  returning ${COLUMNS}`);

/** Ends the takeovers of the clinic whose time has passed. Returns their conversations. */
export const endSilentTakeovers = (tx: TenantTx, now: Date) => rows(tx, endTakeoversStatement, [tx.clinicId, now]);

const endedTakeoversStatement = sql<{ clinic_id: string }>('select distinct clinic_id from conversations where human_until <= $1');

/** Clinics with takeovers whose time has passed. Runs as the system, because it covers all clinics. */
export const listClinicsWithEndedTakeovers = (db: Db, now: Date) => readSystem(db, endedTakeoversStatement, [now]);
