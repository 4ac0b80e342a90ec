// Somebody has lost a password. Whether there is such an account is found out later by a job: here the same is done for
// every address, so that neither the answer nor its delay tells.

import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { RequestPasswordResetRequest } from '@clinic/proto/identity/v1/recovery_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { normalEmail } from '../credentials/email-rules.ts';
import { insertRequest } from './recoveries.sql.ts';
import { BEGIN_RECOVERY } from './recovery-rules.ts';
import { requestContext } from './seal-contexts.ts';

export async function requestPasswordReset(app: App, request: RequestPasswordResetRequest, call: Call) {
  const email = normalEmail(parseText('email', request.email, 254)) ?? invalid('email', 'must be an e-mail address');
  const id = v7();
  const { ip, requestId } = call.caller;
  // As the system: which clinic the e-mail belongs to, if any, is not known.
  await asSystem(app.db, async (tx) => {
    await insertRequest(tx, { id, email_sealed: encrypt(app.keys, email, requestContext(id)), ip, request_id: requestId }, app.clock.now());
    await enqueue(tx, BEGIN_RECOVERY, { id });
  });
  return { message: 'If there is an account with this e-mail, a mail with a link is on its way' };
}
