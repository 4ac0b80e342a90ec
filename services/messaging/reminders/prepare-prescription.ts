// The link to a prescription, written at the moment of sending.
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import type { App } from '../app.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

export const preparePrescription: Prepare<'prescription'> = async (app, clinicId, { linkId }) => {
  const message = await findMessage(app, clinicId, linkId);
  if (!message) return { drop: 'too_late' };
  const to = await findRecipient(app, clinicId, message.patientId);
  if (!to) return { drop: 'no_phone' };
  const [numero, enlace] = [String(message.number), message.link];
  const text = to.say('prescription', { nombre: to.name, numero, enlace });
  return composeMessage(to, { template: 'prescription', text, buttons: [], variables: [numero, enlace] });
};

/** Undefined when the link has expired, or the patient was erased. */
async function findMessage(app: App, clinicId: string, linkId: string) {
  try {
    return await app.scheduling.prescriptions.getPrescriptionMessage({ linkId }, await app.clinics.callOptions(clinicId));
  } catch (error) {
    if (isReason(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}
