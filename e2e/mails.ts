// The mails that the product has sent. Without a mail server they are files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type PublicApi, publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';

type Sender = Pick<PublicApi, 'dataDir'>;

/** The mails to an address so far. */
export function mailsTo(email: string, { dataDir }: Sender = publicApi()): string[] {
  const folder = path.join(dataDir, 'mail');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.txt')) : [];
  return names.map((name) => readFileSync(path.join(folder, name), 'utf8')).filter((mail) => mail.includes(`\nTo: ${email}\n`));
}

/** The first mail to an address, as soon as it exists. */
export const mailTo = (email: string, sender?: Sender) => waitFor(() => mailsTo(email, sender)[0] ?? false);
