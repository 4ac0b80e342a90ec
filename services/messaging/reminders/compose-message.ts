// Composes messages that are not replies: the recipient, and the same content for use within and outside the 24-hour window.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { firstName } from '@clinic/lib/formats/person-name.ts';
import type { App } from '../app.ts';
import { type Say, textsIn } from '../bot/rules/texts.ts';
import type { Clinic } from '../clinics/clinics.ts';
import type { Choice } from '../conversations/message-content-rules.ts';
import type { PreparedContent } from '../outbound/outgoing-content-rules.ts';

/** `name` is the first name of the patient, `clinic` the name of the clinic. */
export type Recipient = { phone: string; name: string; language: Language; say: Say; clinic: string };

/** A recipient whose phone is '' if neither the patient nor a guardian has one. */
export type Addressee = Recipient & { email: string | undefined };

/** The patient as the recipient; undefined if neither the patient nor a guardian has a phone. */
export async function findRecipient(app: App, clinic: Clinic, patientId: string): Promise<Recipient | undefined> {
  const patient = await app.scheduling.lookup.findPatient({ id: patientId }, await app.clinics.callOptions(clinic.id));
  return patient.reachablePhone ? toAddressee(app, clinic, { ...patient, patientName: patient.fullName }) : undefined;
}

type Contact = { patientName: string; reachablePhone?: string | undefined; reachableEmail?: string | undefined };

/** With the language that the phone last used with the bot. */
export async function toAddressee(app: App, clinic: Clinic, { patientName, reachablePhone: phone = '', reachableEmail: email }: Contact): Promise<Addressee> {
  const { language, texts } = await app.phoneTexts({ clinicId: clinic.id, phone });
  return { phone, email, name: firstName(patientName), language, say: textsIn(language, clinic.name, texts), clinic: clinic.name };
}

/** Templates that the provider has approved for the clinics. README.md lists their variables and quick replies. */
type AppointmentTemplate = `appointment_${'reminder' | 'cancelled' | 'moved' | 'restored' | 'booked' | 'confirmed' | 'declined'}`;
type Template = AppointmentTemplate | 'waitlist_offer' | 'payment_reminder' | 'prescription' | 'form';

/** In the template, `variables` come after the names of patient and clinic. */
export type MessageParts = { template: Template; text: string; buttons: Choice[]; variables: string[] };

export function composeMessage(to: Recipient, { template, text, buttons, variables }: MessageParts): PreparedContent {
  const content = buttons.length > 0 ? { text, choices: buttons } : { text };
  const payloads = buttons.map(({ id }) => id);
  const outsideWindow = { name: template, language: to.language, variables: [to.name, to.clinic, ...variables], payloads };
  return { phone: to.phone, content, outsideWindow };
}
