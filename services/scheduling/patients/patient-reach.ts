// How a link is sent to a patient: by chat or by mail, to the guardian where the patient has no phone or address.
import { readTenant, sql } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';

const reachStatement = sql<{ email: string | null; phone: string | null }>(`
  select coalesce(p.email, g.email) as email, coalesce(p.phone, g.phone) as phone
  from patients p left join patients g on g.clinic_id = p.clinic_id and g.id = p.guardian_id where p.clinic_id = $1 and p.id = $2`);

/** Throws VALIDATION_ERROR when the patient cannot be reached by the channel, CHAT_NOT_CONNECTED when the clinic has no chat. */
export async function requireReach(app: App, call: Call, patientId: string, requested: string): Promise<{ channel: 'chat' } | { channel: 'mail'; to: string }> {
  const channel = parseOneOf('channel', requested, ['chat', 'mail'] as const);
  const { id: clinicId } = clinicOf(call);
  const [{ email, phone } = { email: null, phone: null }] = await readTenant(app.db, clinicId, reachStatement, [clinicId, patientId]);
  if (channel === 'mail') return { channel, to: email ?? invalid('channel', 'must be chat: the patient has no e-mail address') };
  if (phone === null) invalid('channel', 'must be mail: the patient has no phone');
  const { chatStatus, hasFailed } = await app.channel.getChannelSettings({}, callAs(call.caller));
  if (chatStatus === 'disconnected' || hasFailed) fail('CHAT_NOT_CONNECTED');
  return { channel };
}
