// Whom a message that nobody asked for goes to, and in which words: the language in which the phone has talked with the bot.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { App } from '../app.ts';
import { findSession } from '../bot/bot-sessions.sql.ts';
import { findClinicTexts } from '../bot/bot-texts.sql.ts';
import { type Say, textsIn } from '../bot/rules/texts.ts';
import type { Choice } from '../conversations/message-content-rules.ts';
import type { Outgoing } from '../outbound/outgoing-content-rules.ts';

export type Recipient = { phone: string; name: string; language: Language; say: Say; clinic: string };

/** Undefined when no phone reaches the patient. */
export async function findRecipient(app: App, clinicId: string, patientId: string): Promise<Recipient | undefined> {
  const [clinic, patient] = await Promise.all([
    app.clinics.get(clinicId),
    app.scheduling.lookup.findPatient({ id: patientId }, await app.clinics.callOptions(clinicId)),
  ]);
  const phone = patient.reachablePhone;
  if (!phone) return undefined;
  const [{ language }, clinicTexts] = await inTenant(app.db, clinicId, (tx) => Promise.all([findSession(tx, phone, app.clock.now()), findClinicTexts(tx)]));
  return { phone, name: firstName(patient.fullName), language, say: textsIn(language, clinic.name, clinicTexts), clinic: clinic.name };
}

const firstName = (fullName: string) => fullName.trim().split(/\s+/)[0] ?? '';

/** Templates that clinics have approved: name, clinic, visit; their quick replies in the order of the payloads. */
type Template = 'appointment_reminder' | 'appointment_cancelled' | 'appointment_moved' | 'appointment_restored' | 'waitlist_offer' | 'payment_reminder';

type MessageParts = { template: Template; text: string; buttons: Choice[]; more?: string[] };

/** The message for within and outside the window. `cita` is what it is about: a visit's line, or an amount. */
export function composeMessage(
  to: Recipient,
  cita: string,
  { template, text, buttons, more = [] }: MessageParts,
): { phone: string; content: Outgoing; outsideWindow: Outgoing } {
  const content: Outgoing = buttons.length > 0 ? { type: 'buttons', text, buttons } : { type: 'text', text };
  const payloads = buttons.map(({ id }) => id);
  const outsideWindow: Outgoing = { type: 'template', name: template, language: to.language, variables: [to.name, to.clinic, cita, ...more], payloads, text };
  return { phone: to.phone, content, outsideWindow };
}
