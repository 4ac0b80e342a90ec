// E-mail addresses in documents. The legacy schemas accept only the usual form, without letters such as ñ and without quotes.
import type { Fault } from './address.ts';

const LOCAL = /[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*/;
const DOMAIN = /(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?/;
const EMAIL = new RegExp(`^${LOCAL.source}@${DOMAIN.source}$`, 'i');

export function emailFault(path: string, email: string): Fault | undefined {
  if (email.length < 6 || email.length > 100) return { path, message: 'must have 6 to 100 characters' };
  return EMAIL.test(email) ? undefined : { path, message: 'must be an e-mail address of letters without accents, digits and the usual punctuation' };
}
