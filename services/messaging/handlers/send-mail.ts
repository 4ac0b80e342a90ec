// Stores a mail that another service asks for. What it says is sealed: it may hold a link that opens an account.
import { checkOneOf, checkOptionalText, checkText } from '@clinic/lib/check.ts';
import { asSystem } from '@clinic/lib/db.ts';
import { invalid } from '@clinic/lib/errors.ts';
import { enqueue } from '@clinic/lib/jobs.ts';
import type { SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { MAIL_KINDS, missingOf } from '../rules/mail-texts.ts';
import { insertMail } from '../sql/mails.ts';
import { sealMail } from '../sql/sealed.ts';

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

export async function sendMail(app: App, request: SendMailRequest) {
  const kind = checkOneOf('kind', request.kind, MAIL_KINDS);
  const to = checkText('to', request.to, 254);
  if (!ADDRESS.test(to)) invalid('to', 'must be an e-mail address');
  const [missing] = missingOf(kind, request.parameters);
  if (missing) invalid(`parameters.${missing}`, 'must be given');
  const reference = checkOptionalText('reference', request.reference, 200);
  const id = v7();
  const mail = { id, kind, reference, to: sealMail(app.keys, id, 'to', to), content: sealMail(app.keys, id, 'content', JSON.stringify(request.parameters)) };
  // As the system: a mail belongs to no clinic.
  return asSystem(app.db, async (tx) => {
    const stored = await insertMail(tx, mail, app.clock.now());
    if (stored.isNew) await enqueue(tx, 'send-mail', { id, first: 0 });
    return { id: stored.id };
  });
}
