// The token budget of a clinic per day. The highest possible cost of a call is reserved before the call, and the unused part is returned
// afterwards, so that concurrent calls cannot exceed the budget.
import { inTenant } from '@clinic/lib/db/db.ts';
import { countUse } from '@clinic/lib/usage/usage.ts';
import type { App } from '../app.ts';
import { ModelError, type ModelRequest } from './model.ts';
import { correctTokens, reserveTokens } from './sql/assistant-usage.sql.ts';

/** The clinic does not have enough tokens left today. */
export class BudgetExceeded extends Error {}

const CHARACTERS_PER_TOKEN = 3;
const estimateTokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** Calls the model within the clinic's budget. `today` is the date in the clinic's zone. Throws BudgetExceeded, or the error of the model. */
export async function* askWithinBudget(app: App, clinicId: string, today: string, request: ModelRequest, signal: AbortSignal) {
  const { model, tokensPerDay } = app.assistant;
  if (!model) throw new ModelError('unavailable', 'No model is configured');
  const sent = estimateTokens(JSON.stringify([request.messages, request.tools ?? []]).length);
  const reserved = sent + request.maxTokens;
  if (!(await inTenant(app.db, clinicId, (tx) => reserveTokens(tx, today, reserved, tokensPerDay)))) throw new BudgetExceeded();
  let characters = 0;
  let used: number | null = null;
  const answering = model.ask(request, signal);
  try {
    for (let piece = await answering.next(); ; piece = await answering.next()) {
      if (piece.done) {
        const { value: answer } = piece;
        used = answer.tokens ?? sent + estimateTokens(answer.text.length + JSON.stringify(answer.calls).length);
        return answer;
      }
      characters += piece.value.length;
      yield piece.value;
    }
  } catch (error) {
    if (characters === 0 && error instanceof ModelError && (error.fault === 'unavailable' || error.fault === 'refused')) used = 0;
    throw error;
  } finally {
    // An incomplete answer costs the tokens of the request and of the text received so far.
    const cost = used ?? sent + estimateTokens(characters);
    await answering.return({ text: '', calls: [], tokens: 0 });
    countUse(clinicId, app.clock.now(), { assistantTokens: cost });
    await inTenant(app.db, clinicId, (tx) => correctTokens(tx, today, cost - reserved));
  }
}
