// The mails that the product has sent. Without a mail server they are files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';

/** The mails to an address so far. */
export function mailsTo(email: string): string[] {
  const folder = path.join(publicApi().dataDir, 'mail');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.txt')) : [];
  return names.map((name) => readFileSync(path.join(folder, name), 'utf8')).filter((mail) => mail.includes(`\nTo: ${email}\n`));
}

/** The first mail to an address, as soon as it exists. */
export const mailTo = (email: string) => waitFor(() => mailsTo(email)[0] ?? false);
