// E-mail addresses as accounts: one spelling, so that the unique constraint can compare.

// What browsers accept in <input type="email">, with at least one dot in the domain.
const EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 254;

/** Trimmed and in lower case; undefined when it is no e-mail address. */
export function normalEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= LONGEST && EMAIL.test(email) ? email : undefined;
}
