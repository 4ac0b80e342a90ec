// Stores a mail to be sent. Its content is encrypted, because it may contain a link or a code that gives access to an account.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { decrypt, encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import type { Attachment } from './mailer.ts';
import { insertMail } from './mails.sql.ts';

type MailRequest = { kind: string; to: string; parameters: Record<string, string>; reference: string | null; attachments?: Attachment[] };

/** The content before encryption, as JSON. Files are base64. */
type Content = { parameters: Record<string, string>; attachments: { filename: string; contentType: string; content: string }[] };

/** Returns the id of the mail. A mail with the same kind and reference is not stored again. */
export async function storeMail(app: App, tx: SystemTx, { kind, to, parameters, reference, attachments = [] }: MailRequest): Promise<string> {
  const id = v7();
  const content: Content = { parameters, attachments: attachments.map((one) => ({ ...one, content: one.content.toString('base64') })) };
  const mail = { id, kind, reference, to: encryptMail(app.keys, id, 'to', to), content: encryptMail(app.keys, id, 'content', JSON.stringify(content)) };
  const stored = await insertMail(tx, mail, app.clock.now());
  if (stored.isNew) await enqueue(tx, 'send-mail', { id, first: 0 });
  return stored.id;
}

/** Decrypts the content that storeMail() encrypted. */
export function decryptContent(app: Pick<App, 'keys'>, id: string, ciphertext: Buffer): { parameters: Record<string, string>; attachments: Attachment[] } {
  const { parameters, attachments } = JSON.parse(decryptMail(app.keys, id, 'content', ciphertext)) as Content;
  return { parameters, attachments: attachments.map((one) => ({ ...one, content: Buffer.from(one.content, 'base64') })) };
}

/** The encryption context identifies row and column, so that a ciphertext copied elsewhere cannot be decrypted. */
export const mailContext = (id: string, column: 'to' | 'content') => `mails/${id}/${column}`;

const encryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', value: string) => encrypt(keys, value, mailContext(id, column));

export const decryptMail = (keys: NamedKey[], id: string, column: 'to' | 'content', ciphertext: Buffer) => decrypt(keys, ciphertext, mailContext(id, column));
