// Puts texts of the bot in a clinic's own words, or back in the product's.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateBotTextsRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { setText, shownTexts } from './bot-sessions.sql.ts';
import { EDITABLE, EDITABLE_KEYS, type Language, unknownVariable } from './rules/texts.ts';

const LANGUAGES: Language[] = ['es', 'en'];
// Room for the question that follows, in a message of 1024 characters.
const LONGEST = 700;

export async function updateBotTexts(app: App, { texts }: UpdateBotTextsRequest, call: Call) {
  const clinic = clinicOf(call);
  if (texts.length > 40) invalid('texts', 'must have at most 40 items');
  const changes = texts.map((change, index) => {
    const path = `texts.${index}`;
    const key = parseOneOf(`${path}.key`, change.key, EDITABLE_KEYS);
    const text = parseOptionalText(`${path}.text`, change.text, LONGEST) ?? '';
    const unknown = unknownVariable(key, text);
    if (unknown !== undefined) invalid(`${path}.text`, `may have ${EDITABLE[key].map((name) => `{${name}}`).join(', ')} in braces, not {${unknown}}`);
    return { key, language: parseOneOf(`${path}.language`, change.language, LANGUAGES), text };
  });
  return inTenant(app.db, clinic.id, async (tx) => {
    for (const change of changes) await setText(tx, change, app.clock.now());
    const told = { texts: changes.map(({ key, language, text }) => `${key}/${language}${text === '' ? ' reset' : ''}`).join(', ') };
    if (changes.length > 0) await audit(tx, clinic.id, call.caller, { action: 'bot_texts.updated', entityId: clinic.id, changes: told });
    return shownTexts(tx);
  });
}
