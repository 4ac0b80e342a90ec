// How a link is sent to a patient: by chat or by mail, to the guardian where the patient has no phone or address.
import { type Db, readTenant, sql } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';

type ReachRow = { email: string | null; phone: string | null };

const reachStatement = sql<ReachRow>(`
  select coalesce(p.email, g.email) as email, coalesce(p.phone, g.phone) as phone
  from patients p left join patients g on g.clinic_id = p.clinic_id and g.id = p.guardian_id where p.clinic_id = $1 and p.id = $2`);

/** How the patient, or the guardian, is reached. */
export async function findReach(db: Db, clinicId: string, patientId: string): Promise<ReachRow> {
  return (await readTenant(db, clinicId, reachStatement, [clinicId, patientId]))[0] ?? { email: null, phone: null };
}

/** Throws VALIDATION_ERROR when the patient cannot be reached by the channel, CHAT_NOT_CONNECTED when the clinic has no chat. */
export async function requireReach(app: App, call: Call, patientId: string, given: string): Promise<{ channel: 'chat' } | { channel: 'mail'; to: string }> {
  const channel = parseOneOf('channel', given, ['chat', 'mail'] as const);
  const { email, phone } = await findReach(app.db, clinicOf(call).id, patientId);
  if (channel === 'mail') return { channel, to: email ?? invalid('channel', 'must be chat: the patient has no e-mail address') };
  if (phone === null) invalid('channel', 'must be mail: the patient has no phone');
  const { chatStatus, hasFailed } = await app.channel.getChannelSettings({}, callAs(call.caller));
  if (chatStatus === 'disconnected' || hasFailed) fail('CHAT_NOT_CONNECTED');
  return { channel };
}
