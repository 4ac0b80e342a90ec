// The passwords of the NATS users, in the format of passwords.conf, which deploy/nats/users.conf includes.
import { SERVICES } from '../../schemas.ts';
import { randomWord } from '../launch/secrets.ts';

/** One user for each process, and one for the operators' commands. */
export const NATS_USERS = [...SERVICES, 'gateway', 'ops'];

export const passwordVariable = (user: string) => `${user.toUpperCase()}_PASSWORD`;

/** The content of passwords.conf: the known passwords, and new ones for the users that have none. */
export function withPasswords(known: string): string {
  const missing = NATS_USERS.filter((user) => !known.includes(`${passwordVariable(user)}:`));
  return known + missing.map((user) => `${passwordVariable(user)}: "${randomWord()}"\n`).join('');
}

/** The URL with which the user reaches the server at `address`. */
export function natsUrlOf(user: string, address: string, passwords: string): string {
  const password = new RegExp(`^${passwordVariable(user)}: "(\\w+)"$`, 'm').exec(passwords)?.[1];
  if (!password) throw new Error(`the NATS user ${user} has no password`);
  return `nats://${user}:${password}@${address}`;
}
