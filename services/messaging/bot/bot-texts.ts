// The texts of the bot that a clinic may replace with its own.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListBotTextsRequest, UpdateBotTextsRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { findClinicTexts, saveClinicText, toBotTexts } from './bot-texts.sql.ts';
import { EDITABLE, EDITABLE_KEYS, LANGUAGES, TEXTS, unknownVariable } from './rules/texts.ts';

// A message has at most 1024 characters, and a question may follow the text.
const MAX_TEXT = 700;

export const listBotTexts = (app: App, _request: ListBotTextsRequest, call: Call) => inTenant(app.db, clinicOf(call).id, toBotTexts);

/** Replaces texts, or restores the defaults. */
export async function updateBotTexts(app: App, { texts }: UpdateBotTextsRequest, call: Call) {
  const clinic = clinicOf(call);
  if (texts.length > 40) invalid('texts', 'must have at most 40 items');
  const wanted = texts.map((change, index) => {
    const path = `texts.${index}`;
    const key = parseOneOf(`${path}.key`, change.key, EDITABLE_KEYS);
    const text = parseOptionalText(`${path}.text`, change.text, MAX_TEXT) ?? '';
    const unknown = unknownVariable(key, text);
    if (unknown !== undefined) invalid(`${path}.text`, `may have ${EDITABLE[key].map((name) => `{${name}}`).join(', ')} in braces, not {${unknown}}`);
    const language = parseOneOf(`${path}.language`, change.language, LANGUAGES);
    // The default itself, as a client sends it back with other texts, restores the default.
    return { key, language, text: text === TEXTS[key][language] ? '' : text };
  });
  return inTenant(app.db, clinic.id, async (tx) => {
    const current = await findClinicTexts(tx);
    // In a fixed order, so that concurrent requests for the same texts do not deadlock.
    const last = new Map(wanted.map((change) => [`${change.key} ${change.language}`, change])); // of several for one text, the last counts
    const changes = [...last.values()]
      .filter(({ key, language, text }) => (current[language]?.[key] ?? '') !== text)
      .toSorted((a, b) => a.key.localeCompare(b.key) || a.language.localeCompare(b.language));
    for (const change of changes) await saveClinicText(tx, change, app.clock.now());
    const changed = { texts: changes.map(({ key, language, text }) => `${key}/${language}${text === '' ? ' reset' : ''}`).join(', ') };
    if (changes.length > 0) await audit(tx, clinic.id, call.caller, { action: 'bot_texts.updated', entityId: clinic.id, changes: changed });
    return toBotTexts(tx);
  });
}
