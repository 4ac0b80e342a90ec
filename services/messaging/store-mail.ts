// Stores a mail to be sent. What it says is sealed: it may hold a link or a code that opens an account.
import type { SystemTx } from '@clinic/lib/db.ts';
import { enqueue } from '@clinic/lib/jobs.ts';
import { v7 } from 'uuid';
import type { App } from './app.ts';
import { insertMail } from './sql/mails.ts';
import { sealMail } from './sql/sealed.ts';

export type Letter = { kind: string; to: string; parameters: Record<string, string>; reference: string | null };

/** Returns the id of the mail. The same reference again changes nothing. */
export async function storeMail(app: App, tx: SystemTx, { kind, to, parameters, reference }: Letter): Promise<string> {
  const id = v7();
  const mail = { id, kind, reference, to: sealMail(app.keys, id, 'to', to), content: sealMail(app.keys, id, 'content', JSON.stringify(parameters)) };
  const stored = await insertMail(tx, mail, app.clock.now());
  if (stored.isNew) await enqueue(tx, 'send-mail', { id, first: 0 });
  return stored.id;
}
