// Has messaging send the link of a recovery. The token leaves sealed storage here and nowhere else: messaging seals it in turn,
// and no event, job or log ever holds it.

import { decrypt } from '@clinic/lib/crypto/crypto.ts';
import { asSystem, readSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { findRecoveryStatement, forgetToken } from './recoveries.sql.ts';
import { MAIL_RECOVERY } from './recovery-rules.ts';
import { tokenContext } from './seal-contexts.ts';

/** Repeats are harmless: messaging knows a mail by the recovery's id. As the system: over all clinics. */
export const mailRecovery = (app: App) =>
  job<{ id: string }>(MAIL_RECOVERY, {}, async ({ id }) => {
    const [recovery] = await readSystem(app.db, findRecoveryStatement, [id, app.clock.now()]);
    if (!recovery?.token_sealed) return;
    const token = decrypt(app.keys, recovery.token_sealed, tokenContext(recovery.clinic_id, id));
    // Behind the # it is in no server's log, not even in ours.
    const parameters = { name: recovery.full_name, link: `${app.publicUrl}/reset-password#token=${token}` };
    await app.mail.sendMail({ kind: 'password_reset', to: recovery.email, parameters, reference: id }, callAs(serviceCaller('identity', id)));
    await asSystem(app.db, (tx) => forgetToken(tx, recovery.clinic_id, id));
  });
