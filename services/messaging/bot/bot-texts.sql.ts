// Texts of the bot that a clinic has replaced with its own.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { execute, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { BotTextsSchema } from '@clinic/proto/messaging/v1/bot_pb.js';
import { type ClinicTexts, EDITABLE, EDITABLE_KEYS, type EditableKey, LANGUAGES, TEXTS, type TextKey } from './rules/texts.ts';

export type ReplacedText = { key: string; language: Language; text: string };

const listStatement = sql<ReplacedText>('select key, language, text from bot_texts where clinic_id = $1');

export function toClinicTexts(replaced: ReplacedText[]): ClinicTexts {
  const texts: ClinicTexts = {};
  for (const { key, language, text } of replaced) if (key in TEXTS) texts[language] = { ...texts[language], [key as TextKey]: text };
  return texts;
}

const saveStatement = sql(`
  insert into bot_texts (clinic_id, key, language, text, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id, key, language) do update set text = excluded.text, updated_at = excluded.updated_at`);
const deleteStatement = sql('delete from bot_texts where clinic_id = $1 and key = $2 and language = $3');

export const findClinicTexts = async (tx: TenantTx) => toClinicTexts(await rows(tx, listStatement, [tx.clinicId]));

type BotTextChange = { key: EditableKey; language: Language; text: string };

/** An empty text restores the default. */
export async function saveClinicText(tx: TenantTx, { key, language, text }: BotTextChange, now: Date): Promise<void> {
  if (text === '') await execute(tx, deleteStatement, [tx.clinicId, key, language]);
  else await execute(tx, saveStatement, [tx.clinicId, key, language, text, now]);
}

/** Every text that a clinic may replace, as the bot currently uses it. */
export async function toBotTexts(tx: TenantTx): Promise<MessageInitShape<typeof BotTextsSchema>> {
  const texts = await findClinicTexts(tx);
  return {
    texts: EDITABLE_KEYS.flatMap((key) =>
      LANGUAGES.map((language) => {
        const own = texts[language]?.[key];
        return { key, language, text: own ?? TEXTS[key][language], isCustom: own !== undefined, variables: [...EDITABLE[key]] };
      }),
    ),
  };
}
