// `ops reset-mfa`: removes the second factor of a user who has lost both the app and the recovery codes.
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { removeFactor } from '../../services/identity/second-factor/set-up-mfa.ts';
import { type Command, callOf, OpsFault } from './command.ts';

const findUser = sql<{ clinic_id: string; id: string; has_factor: boolean }>(`
  select clinic_id, id, exists (select from second_factors f where f.clinic_id = u.clinic_id and f.user_id = u.id) as has_factor
  from users u where email = lower($1)`);

export const resetMfa: Command = {
  usage: `--email <address> [--dry-run]

Afterwards the user signs in with the password alone, and is notified by mail. First verify that the request comes from the user, for example by
calling the clinic at a number that you already have.

  --email <address>  the address with which the user signs in
  --dry-run          only prints whether the user has a second factor`,
  options: { email: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    if (typeof values.email !== 'string') throw new OpsFault('Set --email to the address of the user.');
    const db = ops.open('identity');
    const [user] = await readSystem(db, findUser, [values.email.trim()]);
    if (!user) throw new OpsFault('No user has this e-mail address.');
    if (values['dry-run'] === true) {
      ops.print(user.has_factor ? 'the second factor would be removed' : 'the user has no second factor');
      return 0;
    }
    const removed = await removeFactor({ db, clock: systemClock }, user.clinic_id, user.id, 'user.mfa_reset', callOf(ops));
    ops.print(removed ? 'the second factor is removed' : 'the user has no second factor');
    return 0;
  },
};
