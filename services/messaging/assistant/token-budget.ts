// A call of the model is paid for before it is made: what it may cost at most is taken from the clinic's day, and what it did
// not cost is given back. So calls side by side cannot spend more than there is.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { type ModelAnswer, ModelError, type ModelRequest } from './model.ts';
import { correctTokens, reserveTokens } from './sql/assistant-usage.sql.ts';

/** The clinic has no tokens left today. */
export class BudgetSpent extends Error {}

const LETTERS_A_TOKEN = 3;
const tokensOf = (letters: number) => Math.ceil(letters / LETTERS_A_TOKEN);

/** Asks the model on the clinic's budget. `today` is the day of its zone. Throws BudgetSpent, or as the model does. */
export async function* askWithin(app: App, clinicId: string, today: string, request: ModelRequest, signal: AbortSignal): AsyncGenerator<string, ModelAnswer> {
  const { model, tokensPerDay } = app.assistant;
  if (!model) throw new ModelError('away', 'No model is configured');
  const sent = tokensOf(JSON.stringify([request.messages, request.tools ?? []]).length);
  const reserved = sent + request.maxTokens;
  if (!(await inTenant(app.db, clinicId, (tx) => reserveTokens(tx, today, reserved, tokensPerDay)))) throw new BudgetSpent();
  let letters = 0;
  let used: number | null = null;
  const asking = model.ask(request, signal);
  try {
    for (let piece = await asking.next(); ; piece = await asking.next()) {
      if (piece.done) {
        const { value: answer } = piece;
        used = answer.tokens ?? sent + tokensOf(answer.text.length + JSON.stringify(answer.calls).length);
        return answer;
      }
      letters += piece.value.length;
      yield piece.value;
    }
  } catch (error) {
    if (letters === 0 && error instanceof ModelError && (error.fault === 'away' || error.fault === 'refused')) used = 0;
    throw error;
  } finally {
    // Broken off, it has cost what was sent and what had come.
    const cost = used ?? sent + tokensOf(letters);
    await asking.return({ text: '', calls: [], tokens: 0 });
    await inTenant(app.db, clinicId, (tx) => correctTokens(tx, today, cost - reserved));
  }
}
