// The passwords of the users of NATS, as the file passwords.conf that deploy/nats/users.conf includes.
import { SERVICES } from '../../schemas.ts';
import { randomWord } from '../launch/secrets.ts';

/** Each process, and the operators' commands. */
export const NATS_USERS = [...SERVICES, 'gateway', 'ops'];

export const passwordVariable = (user: string) => `${user.toUpperCase()}_PASSWORD`;

/** The passwords that are known, and new ones for other users. */
export function withPasswords(known: string): string {
  const missing = NATS_USERS.filter((user) => !known.includes(`${passwordVariable(user)}:`));
  return known + missing.map((user) => `${passwordVariable(user)}: "${randomWord()}"\n`).join('');
}

/** The URL with which the user reaches the server at `address`. */
export function natsUrlOf(user: string, address: string, passwords: string): string {
  const password = new RegExp(`^${passwordVariable(user)}: "(\\w+)"$`, 'm').exec(passwords)?.[1];
  if (!password) throw new Error(`the passwords of NATS have none for ${user}`);
  return `nats://${user}:${password}@${address}`;
}
