// The RPC with which other services send mails.
import { asSystem } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import type { MailAttachment, SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { App } from '../app.ts';
import { MAIL_KINDS, missingParameters } from './mail-texts-rules.ts';
import type { Attachment } from './mailer.ts';
import { storeMail } from './store-mail.ts';

const MAX_ATTACHMENTS = 5;
const MAX_TOTAL_BYTES = 2 * 1024 * 1024;
/** Without slashes, so that it cannot be a path. */
const FILENAME = /^\w[\w.-]{0,99}$/;
const CONTENT_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w-]+)*$/;

export async function sendMail(app: App, request: SendMailRequest) {
  const kind = parseOneOf('kind', request.kind, MAIL_KINDS);
  const to = parseEmail('to', request.to);
  const { parameters } = request;
  const [missing] = missingParameters(kind, parameters);
  if (missing) invalid(`parameters.${missing}`, 'must be given');
  const reference = parseOptionalText('reference', request.reference, 200);
  const attachments = parseAttachments(request.attachments);
  // As the system, because a mail belongs to no clinic.
  return asSystem(app.db, async (tx) => ({ id: await storeMail(app, tx, { kind, to, parameters, reference, attachments }) }));
}

function parseAttachments(attachments: MailAttachment[]): Attachment[] {
  if (attachments.length > MAX_ATTACHMENTS) invalid('attachments', `must have at most ${MAX_ATTACHMENTS} items`);
  if (attachments.reduce((all, { content }) => all + content.length, 0) > MAX_TOTAL_BYTES) invalid('attachments', 'must have at most 2 MiB together');
  return attachments.map(({ filename, contentType, content }, index) => {
    if (!FILENAME.test(filename)) invalid(`attachments.${index}.filename`, 'must be letters, digits, dots, dashes and underscores');
    if (!CONTENT_TYPE.test(contentType)) invalid(`attachments.${index}.contentType`, 'must be a media type');
    return { filename, contentType, content: Buffer.from(content) };
  });
}
