// What a person who books online has entered about the patient.
import { type Detail, fail, invalid, ServiceError } from '@clinic/lib/errors/errors.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import type { BeginBookingRequest } from '@clinic/proto/scheduling/v1/public_booking_pb.js';

/** At least one letter, and no signs of HTML. */
const NAME = /^[^<>]*\p{L}[^<>]*$/su;

/** `country` is ISO 3166-1 alpha-2. Throws VALIDATION_ERROR with the faults of all fields, so that a form can show them at once. */
export function parsePerson({ name, phone, email, notes }: Pick<BeginBookingRequest, 'name' | 'phone' | 'email' | 'notes'>, country: string) {
  const faults: Detail[] = [];
  const parse = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(...(error.details ?? []));
      return undefined;
    }
  };
  const full_name = parse(() => parseBookedName(name));
  const e164 = parse(() => parsePhone('phone', phone, country));
  const address = parse(() => (email ? parseEmail('email', email) : null));
  const text = parse(() => parseOptionalText('notes', notes, 500));
  if (full_name === undefined || e164 === undefined || address === undefined || text === undefined)
    fail('VALIDATION_ERROR', faults.map(({ path, message }) => `${path}: ${message}`).join('; '), faults);
  return { full_name, phone: e164, email: address, notes: text };
}

function parseBookedName(value: string): string {
  const name = parseName('name', value);
  return NAME.test(name) ? name : invalid('name', 'must contain a letter, and neither < nor >');
}
