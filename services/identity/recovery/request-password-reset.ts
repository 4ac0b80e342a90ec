// Requests a link for a new password. A job looks up the account later: the request does the same work for every address, so
// that neither the response nor its delay reveals whether the address has an account.
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RequestPasswordResetRequest } from '@clinic/proto/identity/v1/recovery_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertRequest, requestContext } from '../credentials/recoveries.sql.ts';
import { BEGIN_RECOVERY } from './begin-recovery.ts';

export async function requestPasswordReset(app: App, request: RequestPasswordResetRequest, call: Call) {
  const email = parseEmail('email', request.email);
  const id = v7();
  const { ip, requestId } = call.caller;
  // As the system, because the clinic of the e-mail address is not known.
  await asSystem(app.db, async (tx) => {
    await insertRequest(tx, { id, email_sealed: encrypt(app.keys, email, requestContext(id)), ip, request_id: requestId }, app.clock.now());
    await enqueue(tx, BEGIN_RECOVERY, { id });
  });
  return { message: 'If there is an account with this e-mail, a mail with a link is on its way' };
}
