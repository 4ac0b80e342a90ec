// An offer of the waitlist, written at the moment of sending.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { formatClockTime } from '@clinic/lib/formats/day-text.ts';
import { DateTime } from 'luxon';
import { appointmentLine } from '../bot/rules/appointment-line.ts';
import { encodeButtonId } from '../bot/rules/button-ids.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { composeMessage, findRecipient } from './compose-message.ts';

const MAX_OFFERS = 500;

export const prepareOffer: Prepare<'waitlist'> = async (app, clinicId, { entryId, offerId }) => {
  const options = await app.clinics.callOptions(clinicId);
  const { entries } = await app.scheduling.waitlist.listWaitlist({ status: 'offered', page: 1, limit: MAX_OFFERS }, options);
  const entry = entries.find(({ id }) => id === entryId);
  const offer = entry?.offer;
  if (!entry || offer?.id !== offerId || !offer?.expiresAt || timestampDate(offer.expiresAt) <= app.clock.now()) return { drop: 'offer_over' };
  const [to, doctor, { timezone }] = await Promise.all([
    findRecipient(app, clinicId, entry.patientId),
    app.scheduling.doctors.getDoctor({ id: offer.doctorId }, options),
    app.clinics.get(clinicId),
  ]);
  if (!to) return { drop: 'no_phone' };
  const cita = appointmentLine({ doctorName: doctor.fullName, date: offer.appointmentDate, time: offer.startTime }, to.language);
  const hasta = formatClockTime(DateTime.fromJSDate(timestampDate(offer.expiresAt), { zone: timezone }).toFormat('HH:mm'), to.language);
  const buttons = [
    { id: encodeButtonId({ kind: 'offer', accept: true, entryId, offerId }), title: to.say('yes_offer') },
    { id: encodeButtonId({ kind: 'offer', accept: false, entryId, offerId }), title: to.say('no_thanks') },
  ];
  const text = to.say('offer', { nombre: to.name, cita, hasta });
  return composeMessage(to, { template: 'waitlist_offer', text, buttons, variables: [cita, hasta] });
};
