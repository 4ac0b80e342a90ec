// Links by which a user chooses a password: after a request for a new one, and by invitation.
import { encrypt } from '@clinic/lib/crypto/crypto.ts';
import type { Tx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertRecovery, type NewRecovery, tokenContext } from './recoveries.sql.ts';
import { newToken } from './tokens.ts';

/** The queue of mails with links. */
export const MAIL_RECOVERY = 'mail-recovery';

/** How long a link is valid. */
const LIFETIME_MS = { reset: 30 * 60_000, invitation: 72 * 3_600_000 };

type Link = keyof typeof LIFETIME_MS;
export type LinkMail = { id: string; link?: Link };

/** Creates a link and queues its mail. */
export async function createLink({ keys }: App, tx: Tx, user: Pick<NewRecovery, 'clinic_id' | 'user_id'>, link: Link, now: Date): Promise<void> {
  const id = v7();
  const { token, hash } = newToken();
  const ciphertext = encrypt(keys, token, tokenContext(user.clinic_id, id));
  await insertRecovery(tx, { ...user, id, hash, ciphertext, expires_at: new Date(now.getTime() + LIFETIME_MS[link]) }, now);
  await enqueue(tx, MAIL_RECOVERY, { id, link } satisfies LinkMail);
}
