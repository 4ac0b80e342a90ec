// Sends the code of an online booking: by chat if the clinic's number is connected, otherwise by mail.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { SendBookingCodeRequest } from '@clinic/proto/messaging/v1/booking_code_pb.js';
import type { App } from '../app.ts';
import { textsIn } from '../bot/rules/texts.ts';
import { findChannel, isConnected } from '../channel/channels.sql.ts';
import { storeMail } from '../mail/store-mail.ts';
import { sendOnce } from '../outbound/send.ts';

export async function sendBookingCode(app: App, request: SendBookingCodeRequest, call: Call) {
  const reference = parseUuid('booking_id', request.bookingId);
  const { id } = clinicOf(call);
  const { phone, code, email, name } = request;
  const clinic = (await app.clinics.get(id)).name;
  const byChat = await inTenant(app.db, id, async (tx) => {
    const channel = await findChannel(tx);
    // Nothing is sent while the number is being registered, and the code is valid for minutes only.
    if (!channel || !isConnected(channel) || (channel.status !== 'active' && email)) return false;
    // The template is sent. The conversation shows the text, without the code: whoever reads it could confirm the booking instead of the patient.
    const text = textsIn('es', clinic)('booking_code', { codigo: '······' });
    const template = { name: 'booking_code', language: 'es', variables: [clinic, code], payloads: [] };
    await sendOnce(tx, { kind: 'booking_code', reference, phone, content: { text, template } }, app.clock.now());
    return true;
  });
  // As the system, because a mail belongs to no clinic.
  if (!byChat && email) await asSystem(app.db, (tx) => storeMail(app, tx, { kind: 'booking_code', to: email, parameters: { name, clinic, code }, reference }));
  return { channel: byChat ? 'chat' : email ? 'mail' : '' };
}
