// The passwords of the users of NATS, as the file passwords.conf that deploy/nats/users.conf includes.
import { randomBytes } from 'node:crypto';
import { SERVICES } from '../../schemas.ts';

/** Each process, and the operators' commands. */
export const NATS_USERS = [...SERVICES, 'gateway', 'ops'];

export const passwordVariable = (user: string) => `${user.toUpperCase()}_PASSWORD`;

/** The passwords that are known, and new ones for other users. Each begins with a letter, or the server could read it as a number. */
export function withPasswords(known: string): string {
  const missing = NATS_USERS.filter((user) => !known.includes(`${passwordVariable(user)}:`));
  return known + missing.map((user) => `${passwordVariable(user)}: "n${randomBytes(24).toString('hex')}"\n`).join('');
}

/** The URL with which the user reaches the server at `address`. */
export function natsUrlOf(user: string, address: string, passwords: string): string {
  const password = new RegExp(`^${passwordVariable(user)}: "(\\w+)"$`, 'm').exec(passwords)?.[1];
  if (!password) throw new Error(`the passwords of NATS have none for ${user}`);
  return `nats://${user}:${password}@${address}`;
}
