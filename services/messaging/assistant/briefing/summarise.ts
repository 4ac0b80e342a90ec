// The summary of a day, written by the model from the figures alone. Rules write it if there is no model, or if the model fails or states a figure
// that the day does not have.
import { createHash } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../../app.ts';
import { ModelError, type ModelMessage } from '../model.ts';
import { type Facts, hasOnlyKnownFigures, writeSummary } from '../rules/briefing-text.ts';
import { findSummary, saveSummary } from '../sql/assistant-summaries.sql.ts';
import { askWithinBudget, BudgetExceeded } from '../token-budget.ts';

type Summary = { summary: string; source: 'model' | 'rules' };

/** Shorter than the deadline of an RPC, since loading the figures also takes time. */
const TIMEOUT_MS = 6_000;
const MAX_TOKENS = 2_000;
const MAX_CHARACTERS = 1_200;

const INSTRUCTIONS = `You write the morning briefing of a clinic for its receptionists, in Spanish, in three to five short plain sentences without
headings, lists or greetings. Say first how full the day is, then what needs attention. Use only the figures of the JSON that follows; amounts are
in its currency; null means unknown and is not mentioned. Give no advice beyond the figures and invent nothing.`;

export async function summarise(app: App, call: Call, facts: Facts): Promise<Summary> {
  const byRules: Summary = { summary: writeSummary(facts), source: 'rules' };
  if (!app.assistant.model) return byRules;
  const clinicId = clinicOf(call).id;
  const json = JSON.stringify(facts);
  const hash = createHash('sha256').update(json).digest();
  const stored = await inTenant(app.db, clinicId, (tx) => findSummary(tx, facts.date, hash));
  if (stored) return { summary: stored, source: 'model' };
  const written = await askModel(app, clinicId, facts, json);
  if (written === undefined) return byRules;
  await inTenant(app.db, clinicId, async (tx) => {
    await saveSummary(tx, facts.date, hash, written, app.clock.now());
    await audit(tx, clinicId, call.caller, { action: 'assistant_briefing.summarised', entityId: facts.date, changes: { source: 'model' } });
  });
  return { summary: written, source: 'model' };
}

/** Undefined if the model writes no usable summary. */
async function askModel(app: App, clinicId: string, facts: Facts, json: string): Promise<string | undefined> {
  const question: ModelMessage = { role: 'user', content: json };
  const messages: ModelMessage[] = [{ role: 'system', content: INSTRUCTIONS }, question];
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const pieces = askWithinBudget(app, clinicId, facts.today, { messages, maxTokens: MAX_TOKENS }, timeout);
    let piece = await pieces.next();
    while (!piece.done) piece = await pieces.next();
    const text = piece.value.text.trim();
    if (text !== '' && text.length <= MAX_CHARACTERS && hasOnlyKnownFigures(facts, text)) return text;
    app.log.warn({ characters: text.length }, 'briefing: the summary of the model is empty, too long or has unknown figures; rules write it instead');
  } catch (error) {
    if (!(error instanceof ModelError || error instanceof BudgetExceeded || timeout.aborted)) throw error;
    const fault = error instanceof ModelError ? error.fault : error instanceof BudgetExceeded ? 'budget' : 'slow';
    app.log.warn({ fault }, 'briefing: the model failed; rules write the summary instead');
  }
  return undefined;
}
