// Composes an offer from the waitlist when it is sent.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { formatClockTime } from '@clinic/lib/formats/day-text.ts';
import { otherName } from '@clinic/lib/formats/note-of-other.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { DateTime } from 'luxon';
import type { App } from '../app.ts';
import { appointmentLine } from '../bot/rules/appointment-line.ts';
import { encodeButtonId } from '../bot/rules/button-ids.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

/** Begins the 15 minutes during which the patient may reply. Undefined if the offer is no longer open. */
export async function startOffer(app: App, clinicId: string, { entryId: id, offerId }: { entryId: string; offerId: string }) {
  try {
    return await app.scheduling.waitlist.startOffer({ id, offerId }, await app.clinics.callOptions(clinicId));
  } catch (error) {
    if (isReason(error, 'OFFER_NOT_OPEN')) return undefined;
    throw error;
  }
}

export const prepareOffer: Prepare<'waitlist'> = async (app, clinic, { entryId, offerId }) => {
  const entry = await startOffer(app, clinic.id, { entryId, offerId });
  const offer = entry?.offer;
  if (!entry || !offer?.expiresAt) return { drop: 'offer_over' };
  const [to, doctor] = await Promise.all([
    findRecipient(app, clinic, entry.patientId),
    app.scheduling.doctors.getDoctor({ id: offer.doctorId }, await app.clinics.callOptions(clinic.id)),
  ]);
  if (!to) return { drop: 'no_phone' };
  const slot = { doctorName: doctor.fullName, date: offer.appointmentDate, time: offer.startTime, person: otherName(entry.notes) };
  const cita = appointmentLine(slot, to.language);
  const hasta = formatClockTime(DateTime.fromJSDate(timestampDate(offer.expiresAt), { zone: clinic.timezone }).toFormat('HH:mm'), to.language);
  const button = (accept: boolean, title: string) => ({ id: encodeButtonId({ kind: 'offer', accept, entryId, offerId }), title });
  const buttons = [button(true, to.say('yes_offer')), button(false, to.say('no_thanks'))];
  const text = to.say('offer', { nombre: to.name, cita, hasta });
  return composeMessage(to, { template: 'waitlist_offer', text, buttons, variables: [cita, hasta] });
};
