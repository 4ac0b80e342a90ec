// The addresses and devices from which a user has signed in before, and the address where the user last chose a password by the link of a mail.
// A device is known by the token of its cookie.
import { execute, getRow, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { networkOf } from '@clinic/lib/formats/network.ts';
import type { Guesses } from '../credentials/guess-rules.ts';
import { hashOf } from '../credentials/tokens.ts';

export const addressOf = (ip: string) => `ip:${networkOf(ip)}`;
export const deviceOf = (token: string) => `device:${hashOf(token).toString('base64url')}`;

const rememberStatement = sql<{ others: number }>(`
  with known as (
    insert into known_clients (clinic_id, user_id, client, last_used_at) select $1, $2, unnest($3::text[]), $4
    on conflict (clinic_id, user_id, client) do update set last_used_at = excluded.last_used_at, attempts = 0, locks = 0, locked_until = null)
  select count(*)::int as others from known_clients where clinic_id = $1 and user_id = $2 and client <> all ($3::text[])
    and (client like 'device:%' or exists (select from session_families f where f.clinic_id = $1 and f.user_id = $2 and not f.by_pin))`);

/**
 * Records a sign-in and forgets the wrong passwords of the device. Returns the number of other devices on which the user has signed in before. Addresses count
 * as well if the user has a session, since early releases stored no devices; an invited user has none.
 */
export const rememberClients = async (tx: TenantTx, userId: string, clients: string[], now: Date) =>
  (await getRow(tx, rememberStatement, [tx.clinicId, userId, clients, now])).others;

const forgetAddressesStatement = sql(`delete from known_clients where clinic_id = $1 and user_id = $2 and client like 'ip:%'`);

/**
 * Records that the user has chosen a password by the link of a mail. Other addresses are forgotten: somebody else may have read the user's mails there
 * and done the same, or signed in.
 */
export async function rememberPasswordAddress(tx: TenantTx, userId: string, ip: string, now: Date): Promise<void> {
  await execute(tx, forgetAddressesStatement, [tx.clinicId, userId]);
  await rememberClients(tx, userId, [addressOf(ip)], now);
}

const hasStatement = sql<{ known: boolean }>('select exists (select from known_clients where clinic_id = $1 and client = $2) as known');

/** Whether the address or device is known for a user of the clinic. */
export const isKnownToClinic = async (tx: TenantTx, client: string) => (await getRow(tx, hasStatement, [tx.clinicId, client])).known;

const lockStatement = sql<Guesses>(`
  select attempts, locks, locked_until as "lockedUntil" from known_clients where clinic_id = $1 and user_id = $2 and client = $3 for no key update`);

export const lockClient = (tx: TenantTx, userId: string, client: string) => row(tx, lockStatement, [tx.clinicId, userId, client]);

const countStatement = sql(`
  update known_clients set attempts = $4, locks = $5, locked_until = $6 where clinic_id = $1 and user_id = $2 and client = $3`);

export const setClientGuesses = (tx: TenantTx, userId: string, client: string, { attempts, locks, lockedUntil }: Guesses) =>
  execute(tx, countStatement, [tx.clinicId, userId, client, attempts, locks, lockedUntil]);

const purgeStatement = sql('delete from known_clients where last_used_at < $1');

export const purgeClients = (tx: SystemTx, before: Date) => execute(tx, purgeStatement, [before]);
