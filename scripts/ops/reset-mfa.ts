// `ops reset-mfa`: removes the second factor of a user who has lost both the app and the recovery codes.
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { normalizeEmail } from '@clinic/lib/formats/email.ts';
import { findAccountByEmailIn } from '../../services/identity/access/accounts.sql.ts';
import { lockFactor } from '../../services/identity/second-factor/second-factors.sql.ts';
import { removeFactor } from '../../services/identity/second-factor/set-up-mfa.ts';
import { type Command, callOf, OpsFault } from './command.ts';

export const resetMfa: Command = {
  usage: `--email <address> [--dry-run]

Afterwards the user signs in with the password alone, and is notified by mail. First verify that the request comes from the user, for example by
calling the clinic at a number that you already have.

  --email <address>  the address with which the user signs in
  --dry-run          only prints whether the user has a second factor`,
  options: { email: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    if (typeof values.email !== 'string') throw new OpsFault('Set --email to the address of the user.');
    const email = normalizeEmail(values.email);
    const db = ops.open('identity');
    const user = email === undefined ? undefined : await asSystem(db, (tx) => findAccountByEmailIn(tx, email));
    if (!user) throw new OpsFault('No user has this e-mail address.');
    if (values['dry-run'] === true) {
      const factor = await inTenant(db, user.clinic_id, (tx) => lockFactor(tx, user.user_id));
      ops.print(factor ? 'the second factor would be removed' : 'the user has no second factor');
      return 0;
    }
    const removed = await removeFactor({ db, clock: systemClock }, user.clinic_id, user.user_id, 'user.mfa_reset', callOf(ops));
    ops.print(removed ? 'the second factor is removed' : 'the user has no second factor');
    return 0;
  },
};
