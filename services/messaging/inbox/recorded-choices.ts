// What patients write that takes effect without a reply while the bot is off or a user has taken over the conversation: opting out of recalls, opting
// in again, and the confirmation of an appointment by a button. Emergencies, of which the staff are notified again.
import { foldPhrase } from '@clinic/lib/formats/phrases.ts';
import type { App } from '../app.ts';
import { performEffect } from '../bot/perform-effect.ts';
import { decodeButtonId } from '../bot/rules/button-ids.ts';
import { correctSpelling } from '../bot/rules/correct-spelling.ts';
import { isEmergency, recallChoice } from '../bot/rules/intents.ts';
import { toInput } from '../bot/rules/to-input.ts';
import type { Content } from '../conversations/message-content-rules.ts';
import type { TurnRow } from './turns.sql.ts';

type RecordedChoice = { kind: 'recall'; optedOut: boolean } | { kind: 'confirm'; appointmentId: string };

export function findRecordedChoice(type: string, content: Content): RecordedChoice | undefined {
  const recall = recallChoice(type, content);
  if (recall) return { kind: 'recall', optedOut: recall === 'stop' };
  const action = content.choice && decodeButtonId(content.choice.id);
  return action?.kind === 'appointment' && action.action === 'confirm' ? { kind: 'confirm', appointmentId: action.appointmentId } : undefined;
}

/** Whether the bot would hand the message over as an emergency. */
export function reportsEmergency(type: string, content: Content): boolean {
  const { kind, text } = toInput(type, content);
  return (kind === 'text' || kind === 'file') && isEmergency(foldPhrase(correctSpelling(text)));
}

/** `turn` with the patient to whom the phone belongs. May be repeated. */
export async function recordChoice(app: App, turn: TurnRow, choice: RecordedChoice): Promise<void> {
  const { clinic_id: clinicId, phone, patient_id: patientId, message_id: messageId, asked } = turn;
  const sender = { clinicId, phone, patientId, messageId, asked };
  if (choice.kind === 'recall') return void (await performEffect(app, sender, { kind: 'recall', optIn: !choice.optedOut }));
  const { appointmentId } = choice;
  const own = (await performEffect(app, sender, { kind: 'appointments' })) as { id: string }[];
  if (own.some(({ id }) => id === appointmentId)) await performEffect(app, sender, { kind: 'confirm', appointmentId });
}
