// Finds the patient to whom a phone belongs. For an unknown phone scheduling is asked once a day; later changes come as events.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { type ConversationRow, linkPatient } from '../conversations/conversations.sql.ts';

const CHECK_AGAIN_MS = 24 * 3_600_000;

/** The conversation with its patient. When scheduling is unavailable, the next message tries again. */
export async function identifyPatient(app: App, tx: TenantTx, conversation: ConversationRow): Promise<ConversationRow> {
  const now = app.clock.now();
  const { phone, patient_id, patient_checked_at } = conversation;
  if (patient_id || !phone.startsWith('+') || (patient_checked_at && now.getTime() - patient_checked_at.getTime() < CHECK_AGAIN_MS)) return conversation;
  let found: { id: string; fullName: string } | undefined;
  try {
    const { patient } = await app.scheduling.lookup.findPatientByPhone({ phone }, await app.clinics.callOptions(tx.clinicId));
    found = patient?.isArchived ? undefined : patient;
  } catch (error) {
    app.log.warn({ err: error }, 'the patient of a phone could not be looked up, the next message tries again');
    return conversation;
  }
  const patient = found ? { id: found.id, name: found.fullName } : null;
  await linkPatient(tx, phone, patient, now);
  return { ...conversation, patient_id: patient?.id ?? null, patient_name: patient?.name ?? null, patient_checked_at: now };
}
