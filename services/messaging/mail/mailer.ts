// Sends mails by SMTP, or writes them to files if there is no SMTP server, for development.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { Mail } from './mail-texts-rules.ts';

export type Attachment = { filename: string; contentType: string; content: Buffer };

/** `id` becomes part of the Message-ID, by which receivers recognise a repeated mail. */
export type Mailer = (id: string, to: string, mail: Mail & { attachments: Attachment[] }) => Promise<void>;

const MAX_RESPONSE = 300;
/** How long the server may be silent. Much less than the 10 minutes of RFC 5321, because other mails wait meanwhile, such as codes that are valid for 10 minutes. */
export const RESPONSE_TIMEOUT_MS = 2 * 60_000;

export function createMailer({ smtpUrl, from, folder }: { smtpUrl: string | undefined; from: string; folder: string }): Mailer {
  const messageId = (id: string) => `<${id}@${/@([\w.-]+)/.exec(from)?.[1] ?? 'localhost'}>`;
  if (!smtpUrl) {
    return async (id, to, { subject, text, html, attachments }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const files = attachments.map(({ filename, content }) => ({ name: `${id}-${filename}`, content }));
      for (const { name, content } of [...files, { name: `${id}.html`, content: html }]) await writeFile(path.join(folder, name), content, { mode: 0o600 });
      const attached = files.map(({ name }) => `Attached: ${name}\n`).join('');
      const head = `From: ${from}\nTo: ${to}\nSubject: ${subject}\nMessage-ID: ${messageId(id)}\n${attached}\n`;
      await writeFile(path.join(folder, `.${id}`), head + text, { mode: 0o600 });
      await rename(path.join(folder, `.${id}`), path.join(folder, `${id}.txt`)); // readers never see a partial file
    };
  }
  return async (id, to, mail) => {
    const { createTransport } = await import('nodemailer'); // loaded for the first mail, since it takes 26 MB
    const transport = createTransport({ url: smtpUrl, socketTimeout: RESPONSE_TIMEOUT_MS }, { from });
    await measureExternalCall('mail', 'send', () => transport.sendMail({ to, ...mail, messageId: messageId(id) })).catch((error) => {
      throw toLoggableError(error, new URL(smtpUrl).host);
    });
  };
}

/** An error for the log: names the server and its response, without mail addresses. */
function toLoggableError({ message, code, responseCode }: Error & { code?: string; responseCode?: number }, server: string): Error {
  const response = message.replaceAll(/[^\s<>"'(),:;]*@[^\s<>"'(),:;]*/g, '[address]').slice(0, MAX_RESPONSE);
  return Object.assign(new Error(`mail server ${server}: ${response}`), { code, responseCode });
}
