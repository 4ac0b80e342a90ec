// Mails of all services: stored encrypted, sent by a job, and deleted afterwards.
import type { EncryptedColumn } from '@clinic/lib/crypto/reencrypt.ts';
import { watchDisk } from '@clinic/lib/runtime/disk-space.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { MailService } from '@clinic/proto/messaging/v1/mail_pb.js';
import type { App } from '../app.ts';
import { LINKS } from './mail-texts-rules.ts';
import { onDemoAccepted } from './on-demo-accepted.ts';
import { purgeMailsJob } from './purge-mails.ts';
import { sendMail } from './send-mail.ts';
import { sendMailJob } from './send-mail-job.ts';
import { mailContext } from './store-mail.ts';

const encrypted = (name: 'to' | 'content') =>
  // plain-words: sealed is in the names of columns
  ({ table: 'mails', key: ['id'], column: `${name}_sealed`, context: ({ id }) => mailContext(id, name) }) satisfies EncryptedColumn;

const TO_PATIENTS = ['appointment_notice', 'appointment_reminder', 'booking_code', 'document', 'form'];
/** To users of the clinic. */
const NAMING_PATIENTS = ['agenda', 'time_conflicts'];

/** The parameters that give access to an appointment, a form or a document. */
const ACCESS = [...LINKS, 'code'];

/** The content of a mail without ACCESS. */
function withoutTokens(content: string): string {
  const { parameters, ...rest } = JSON.parse(content) as { parameters: Record<string, string> };
  const others = Object.entries(parameters).filter(([name]) => !ACCESS.includes(name));
  return JSON.stringify({ parameters: Object.fromEntries(others), ...rest });
}

export const mail: Module<App> = {
  rpcs: [rpcs(MailService, { sendMail })],
  consumers: (app) => [onDemoAccepted(app)],
  jobs: (app) => [sendMailJob(app), purgeMailsJob(app)],
  // Without a mail server, mails are written to this folder, which the embedded servers also use.
  loops: (app) => [watchDisk(app.dataDir, app.log)],
  personal: [
    {
      table: 'mails',
      search: 'content_sealed', // plain-words: sealed is in the names of columns
      kinds: [...TO_PATIENTS, ...NAMING_PATIENTS],
      address: { column: 'to_sealed', kinds: TO_PATIENTS },
      decode: withoutTokens,
      ofClinic: null,
      why: 'mails name no clinic: address and text are deleted when a mail is sent; those that could not be sent are retained, encrypted, for 400 days',
    },
  ],
  encrypted: [encrypted('to'), encrypted('content')],
};
