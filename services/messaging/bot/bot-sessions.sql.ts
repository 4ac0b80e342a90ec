// Talks as they rest between two messages, and a clinic's own words.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { BotTextsSchema } from '@clinic/proto/messaging/v1/bot_pb.js';
import { resume, type Session } from './rules/session.ts';
import { EDITABLE, EDITABLE_KEYS, type Language, type Overrides, TEXTS, type TextKey } from './rules/texts.ts';

const findStatement = sql<{ state: Session; updated_at: Date }>('select state, updated_at from bot_sessions where clinic_id = $1 and phone = $2');

/** The talk with a phone, as far as it is still one. */
export async function findSession(tx: TenantTx, phone: string, now: Date): Promise<Session> {
  const kept = await row(tx, findStatement, [tx.clinicId, phone]);
  return resume(kept?.state, kept?.updated_at ?? now, now);
}

const saveStatement = sql(`
  insert into bot_sessions (clinic_id, phone, state, updated_at) values ($1, $2, $3, $4)
  on conflict (clinic_id, phone) do update set state = excluded.state, updated_at = excluded.updated_at`);

export async function saveSession(tx: TenantTx, phone: string, session: Session, now: Date): Promise<void> {
  await execute(tx, saveStatement, [tx.clinicId, phone, JSON.stringify(session), now]);
}

export type BotTextRow = { key: string; language: Language; text: string };

const textsStatement = sql<BotTextRow>('select key, language, text from bot_texts where clinic_id = $1');

export const listTexts = (tx: TenantTx) => rows(tx, textsStatement, [tx.clinicId]);

/** What the clinic says in its own words. */
export async function findOverrides(tx: TenantTx): Promise<Overrides> {
  const overrides: Overrides = {};
  for (const { key, language, text } of await listTexts(tx)) if (key in TEXTS) overrides[language] = { ...overrides[language], [key as TextKey]: text };
  return overrides;
}

const setTextStatement = sql(`
  insert into bot_texts (clinic_id, key, language, text, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id, key, language) do update set text = excluded.text, updated_at = excluded.updated_at`);
const deleteTextStatement = sql('delete from bot_texts where clinic_id = $1 and key = $2 and language = $3');

/** An empty text gives the key back to the product's own words. */
export async function setText(tx: TenantTx, { key, language, text }: BotTextRow, now: Date): Promise<void> {
  if (text === '') await execute(tx, deleteTextStatement, [tx.clinicId, key, language]);
  else await execute(tx, setTextStatement, [tx.clinicId, key, language, text, now]);
}

const LANGUAGES: Language[] = ['es', 'en'];

/** Every text that the clinic may change, as the bot says it now. */
export async function shownTexts(tx: TenantTx): Promise<MessageInitShape<typeof BotTextsSchema>> {
  const overrides = await findOverrides(tx);
  const shown = (key: (typeof EDITABLE_KEYS)[number], language: Language) => {
    const own = overrides[language]?.[key];
    return { key, language, text: own ?? TEXTS[key][language], isCustom: own !== undefined, variables: [...EDITABLE[key]] };
  };
  return { texts: EDITABLE_KEYS.flatMap((key) => LANGUAGES.map((language) => shown(key, language))) };
}
