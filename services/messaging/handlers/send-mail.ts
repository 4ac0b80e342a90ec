// Takes a mail that another service asks for.
import { checkOneOf, checkOptionalText, checkText } from '@clinic/lib/check.ts';
import { asSystem } from '@clinic/lib/db.ts';
import { invalid } from '@clinic/lib/errors.ts';
import type { SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { App } from '../app.ts';
import { MAIL_KINDS, missingOf } from '../rules/mail-texts.ts';
import { storeMail } from '../store-mail.ts';

const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/;

export async function sendMail(app: App, request: SendMailRequest) {
  const kind = checkOneOf('kind', request.kind, MAIL_KINDS);
  const to = checkText('to', request.to, 254);
  if (!ADDRESS.test(to)) invalid('to', 'must be an e-mail address');
  const { parameters } = request;
  const [missing] = missingOf(kind, parameters);
  if (missing) invalid(`parameters.${missing}`, 'must be given');
  const reference = checkOptionalText('reference', request.reference, 200);
  // As the system: a mail belongs to no clinic.
  return asSystem(app.db, async (tx) => ({ id: await storeMail(app, tx, { kind, to, parameters, reference }) }));
}
