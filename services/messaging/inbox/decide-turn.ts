// Decides the outcome of a turn without a transaction: the patient of the phone, the bot's reply, and the patient's reply to a recall message.
// Calls to other services have idempotency keys, so that a turn that is retried has no effect twice. While a clinic is read-only, its turns wait.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { fail } from '@clinic/lib/errors/errors.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { PatientRepliedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import type { App } from '../app.ts';
import type { Answer, Respond } from '../bot/respond.ts';
import { lookUpPatient } from '../conversations/look-up-patient.ts';
import { isWindowOpen, modeOf, windowEnd } from '../conversations/takeover-rules.ts';
import { findRecordedChoice, recordChoice } from './recorded-choices.ts';
import type { TurnRow } from './turns.sql.ts';

export type Outcome = {
  turn: TurnRow;
  /** The patient to whom the phone belongs according to scheduling; null if it belongs to nobody. Absent if scheduling was not called. */
  patient?: { id: string; name: string } | null | undefined;
  /** The event to publish if the message replies to a recall. */
  replied?: MessageInitShape<typeof PatientRepliedSchema> | undefined;
  /** Absent if the bot does not reply. */
  answer?: Answer | undefined;
  /** Why the bot could not reply. */
  error?: string;
};

export async function decideTurn(app: App, respond: Respond, turn: TurnRow): Promise<Outcome> {
  const patient = await lookUpPatient(app, turn);
  if (turn.kind === 'identify') return { turn, patient };
  const known: TurnRow = patient === undefined ? turn : { ...turn, patient_id: patient?.id ?? null, patient_name: patient?.name ?? null };
  const now = app.clock.now();
  const isTooLate = !isWindowOpen(windowEnd(turn.sent_at), now); // the provider would refuse the reply
  const isLeftToStaff = isTooLate || !turn.bot_enabled || modeOf(turn.human_until, now) === 'human';
  const choice = findRecordedChoice(turn.type, turn.content);
  const clinic = isLeftToStaff && !choice ? undefined : await ifFound(app.clinics.get(turn.clinic_id));
  if (clinic?.readOnly) fail('READ_ONLY');
  const answers = !isLeftToStaff && clinic?.isActive && clinic.features.includes('chat_bot');
  if (!answers && choice) await recordChoice(app, known, choice);
  const recall = turn.asked.find(({ kind }) => kind === 'recall');
  const replied = recall && {
    patientId: known.patient_id ?? '',
    reference: recall.reference,
    kind: 'recall',
    at: timestampFromDate(turn.sent_at),
    optedOut: choice?.kind === 'recall' && choice.optedOut,
  };
  const answer = answers ? await respond(app, clinic, known) : undefined;
  return { turn, patient, replied, answer };
}
