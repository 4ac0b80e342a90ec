// Sends the notice of a change to an appointment: by chat, or by mail if the clinic has no chat or the patient no phone.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { supersedeNotices } from '../mail/mails.sql.ts';
import { storeMail } from '../mail/store-mail.ts';
import type { Prepare } from '../outbound/prepare.ts';
import { decodeReference, encodeReference, type Reference, referencesOf } from '../outbound/reference-rules.ts';
import { composeMessage } from './compose-message.ts';
import { type WrittenNotice, writeNotice } from './prepare-appointment-messages.ts';

export const prepareNotice: Prepare<'appointment_notice'> = async (app, clinic, notice) => {
  const written = await writeNotice(app, clinic, notice);
  if ('drop' in written) return written;
  if (written.to.phone) return composeMessage(written.to, written);
  return { drop: (await mailNotice(app, clinic.id, notice, written)) ? 'by_mail' : 'no_phone' };
};

export const MAIL_NOTICE = 'mail-notice';

/** `reference`: the encoded reference of the notice. */
export type NoticeToMail = { clinicId: string; reference: string };

export const mailNoticeJob = (app: App) =>
  job<NoticeToMail>(MAIL_NOTICE, {}, async ({ clinicId, reference }) => {
    const notice = decodeReference('appointment_notice', reference);
    if (notice?.kind !== 'appointment_notice') return;
    const clinic = await app.clinics.get(clinicId);
    const written = clinic.isActive && (await writeNotice(app, clinic, notice));
    if (written && !('drop' in written)) await mailNotice(app, clinicId, notice, written);
  });

/**
 * Stores the mail if there is an address, and returns whether there is one. The mail has the reference of the notice, so that it is sent once. It
 * replaces notices of the appointment that were not sent yet.
 */
async function mailNotice(app: App, clinicId: string, notice: Reference<'appointment_notice'>, { to, text, isOn }: WrittenNotice): Promise<boolean> {
  const { email, clinic } = to;
  if (!email) return false;
  const { appointmentId } = notice;
  const { link: manage } = isOn ? await app.scheduling.manageLinks.getManageLink({ appointmentId }, await app.clinics.callOptions(clinicId)) : {};
  const mail = { kind: 'appointment_notice', to: email, parameters: { clinic, text, ...(manage && { manage }) }, reference: encodeReference(notice) };
  // As the system, because a mail belongs to no clinic.
  await asSystem(app.db, async (tx) => {
    await supersedeNotices(tx, referencesOf(appointmentId), mail.reference, app.clock.now());
    await storeMail(app, tx, mail);
  });
  return true;
}
