// The language of a phone, and the texts of its clinic, for messages that are not replies.
import { createBatches } from '@clinic/lib/background/batches.ts';
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { type ReplacedText, toClinicTexts } from './bot-texts.sql.ts';
import type { ClinicTexts } from './rules/texts.ts';

type Phone = { clinicId: string; phone: string };
/** `language`: the one in which the phone last used the bot. `texts`: those that the clinic has replaced. */
export type PhoneTexts = { language: Language; texts: ClinicTexts };

const readStatement = sql<{ language: Language; texts: ReplacedText[] }>(`
  select coalesce(s.state->>'language', 'es') as language,
    (select coalesce(json_agg(json_build_object('key', t.key, 'language', t.language, 'text', t.text)), '[]') from bot_texts t where t.clinic_id = n.clinic_id) as texts
  from unnest($1::uuid[], $2::text[]) with ordinality as n (clinic_id, phone, place)
  left join bot_sessions s on s.clinic_id = n.clinic_id and s.phone = n.phone
  order by n.place`);

/** Concurrent reads share one statement, as the system because they are of several clinics. */
export const createPhoneTextsReader = (db: Db) =>
  createBatches<Phone, PhoneTexts>({ size: 100 }, async (phones) => {
    const found = await readSystem(db, readStatement, [phones.map(({ clinicId }) => clinicId), phones.map(({ phone }) => phone)]);
    return found.map(({ language, texts }) => ({ language, texts: toClinicTexts(texts) }));
  });
