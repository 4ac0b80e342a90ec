// The summary of a day: by the model from the figures alone, and by rules whenever there is none, it is late, or it says what
// the figures do not.
import { createHash } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../../app.ts';
import { ModelError } from '../model.ts';
import { type Facts, staysWith, summaryOf } from '../rules/briefing-text.ts';
import { findSummary, saveSummary } from '../sql/assistant-summaries.sql.ts';
import { askWithin, BudgetSpent } from '../token-budget.ts';

export type Summary = { summary: string; source: 'model' | 'rules' };

/** Below the time that anyone waits for an RPC, with room for the figures. */
const LIMIT_MS = 6_000;
const MAX_TOKENS = 2_000;
const MOST_LETTERS = 1_200;

const ASK = `You write the morning briefing of a clinic for its receptionists, in Spanish, in three to five short plain sentences without
headings, lists or greetings. Say first how full the day is, then what needs attention. Use only the figures of the JSON that follows; amounts are
US dollars; null means unknown and is not mentioned. Give no advice beyond the figures and invent nothing.`;

export async function summarise(app: App, call: Call, facts: Facts): Promise<Summary> {
  const clinicId = clinicOf(call).id;
  const { model } = app.assistant;
  if (!model) return { summary: summaryOf(facts), source: 'rules' };
  const json = JSON.stringify(facts);
  const hash = createHash('sha256').update(json).digest();
  const known = await inTenant(app.db, clinicId, (tx) => findSummary(tx, facts.date, hash));
  if (known) return { summary: known, source: 'model' };
  const written = await write(app, clinicId, facts, json);
  if (written === undefined) return { summary: summaryOf(facts), source: 'rules' };
  await inTenant(app.db, clinicId, async (tx) => {
    await saveSummary(tx, facts.date, hash, written, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'assistant_briefing.summarised', entityId: facts.date, changes: { source: 'model' } });
  });
  return { summary: written, source: 'model' };
}

/** Undefined when the rules have to write it. */
async function write(app: App, clinicId: string, facts: Facts, json: string): Promise<string | undefined> {
  const request = {
    messages: [
      { role: 'system' as const, content: ASK },
      { role: 'user' as const, content: json },
    ],
    maxTokens: MAX_TOKENS,
  };
  const limit = AbortSignal.timeout(LIMIT_MS);
  try {
    const asking = askWithin(app, clinicId, facts.today, request, limit);
    let piece = await asking.next();
    while (!piece.done) piece = await asking.next();
    const text = piece.value.text.trim();
    if (text !== '' && text.length <= MOST_LETTERS && staysWith(facts, text)) return text;
    app.log.warn({ letters: text.length }, 'the summary of the model says other figures than the day has: the rules write it');
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof BudgetSpent || limit.aborted)) throw error;
    app.log.warn({ fault: error instanceof ModelError ? error.fault : error instanceof BudgetSpent ? 'budget' : 'slow' }, 'the rules write the summary');
  }
  return undefined;
}
