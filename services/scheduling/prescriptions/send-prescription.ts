// Sends a prescription by chat or mail, as a link that expires. Messaging requests the text of the chat message when it sends it.

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { audit } from '@clinic/lib/audit/audit.ts';
import { linkToken } from '@clinic/lib/crypto/link-token.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { PrescriptionSentSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { GetPrescriptionMessageRequest, SendPrescriptionRequest } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { refuseMergedRecord } from '../patient-records/records.sql.ts';
import { requireReach } from '../patients/patient-reach.ts';
import { requirePrescription } from './list-prescriptions.ts';
import { findByLink, insertLink, type LinkRow, type PrescriptionRow } from './prescriptions.sql.ts';

const LINK_MS = 30 * 24 * 3_600_000;

export async function sendPrescription(app: App, request: SendPrescriptionRequest, call: Call) {
  if (isUuid(request.patientId)) await inTenant(app.db, clinicOf(call).id, (tx) => refuseMergedRecord(tx, request.patientId));
  const prescription = await requirePrescription(app, request, call);
  const reach = await requireReach(app, call, prescription.patient_id, request.channel);
  const { channel } = reach;
  const now = app.clock.now();
  const id = v7();
  const link = { id, prescription_id: prescription.id, channel, sent_by: call.caller.id, created_at: now, expires_at: new Date(now.getTime() + LINK_MS) };
  if (reach.channel === 'mail') await mail(app, call, prescription, link, reach.to);
  else await sendByChat(app, call, prescription, link);
  return { id, channel, expiresAt: timestampFromDate(link.expires_at) };
}

/** The link is stored before the mail that contains it is sent. */
async function mail(app: App, call: Call, prescription: PrescriptionRow, link: LinkRow, to: string): Promise<void> {
  const clinic = await app.profile.getClinicProfile({}, callAs(call.caller));
  await store(app, call, link);
  const text = `Le enviamos su receta N.º ${prescription.number}. Puede abrirla con este enlace durante 30 días.`;
  const parameters = { name: prescription.patient_name, clinic: clinic.name, text, link: linkOf(app, clinicOf(call).id, link.id) };
  await app.mail.sendMail(
    { kind: 'document', to, parameters, reference: `prescription:${link.id}` },
    callAs(serviceCaller('scheduling', call.caller.requestId)),
  );
}

/** Messaging receives an event, requests the text of the message, and sends it outside of the quiet hours. */
const sendByChat = (app: App, call: Call, { patient_id }: PrescriptionRow, link: LinkRow): Promise<void> =>
  store(app, call, link, (tx) => emit(tx, tx.clinicId, PrescriptionSentSchema, { linkId: link.id, patientId: patient_id }));

function store(app: App, call: Call, link: LinkRow, publish?: (tx: TenantTx) => Promise<void>): Promise<void> {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    await insertLink(tx, link);
    await publish?.(tx);
    await audit(tx, tx.clinicId, call.caller, { action: 'prescription.sent', entityId: link.prescription_id, changes: { channel: link.channel } });
  });
}

export async function getPrescriptionMessage(app: App, { linkId }: GetPrescriptionMessageRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(linkId)) fail('NOT_FOUND', 'Link not found');
  const { patient_id, number } = found(await findByLink(app.db, clinicId, linkId, app.clock.now()), 'Link');
  return { patientId: patient_id, number, link: linkOf(app, clinicId, linkId) };
}

const linkOf = ({ publicUrl, keys }: App, clinicId: string, id: string) =>
  `${publicUrl}/api/prescriptions/shared/${linkToken(keys, 'clinic prescription', { clinicId, id })}.pdf`;
