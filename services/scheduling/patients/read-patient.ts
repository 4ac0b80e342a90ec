// What a request says of a patient, checked and in the spelling that is stored.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import { type Dui, parseDui } from './rules/dui.ts';
import { searchName } from './rules/name.ts';
import { toE164 } from './rules/phone.ts';
import type { PatientFields } from './sql/patients.sql.ts';

const GENDERS = ['female', 'male', 'other'] as const;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export type DetailsInput = {
  fullName: string;
  email?: string | undefined;
  birthDate?: string | undefined;
  gender?: string | undefined;
  address?: string | undefined;
  notes?: string | undefined;
};

export function readPatient(input: DetailsInput & { phone: string }, country: string): PatientFields {
  const details = readDetails(input);
  return { ...details, phone: readPhone(input.phone, country) };
}

export function readPhone(phone: string, country: string): string {
  return toE164(phone, country) ?? invalid('phone', 'must be a phone number, for example +50371234567');
}

/** All but the phone, which a dependant does not have. */
export function readDetails(input: DetailsInput): Omit<PatientFields, 'phone'> {
  const full_name = parseText('fullName', input.fullName, 200);
  const email = parseOptionalText('email', input.email, 254);
  if (email && !EMAIL.test(email)) invalid('email', 'must be an e-mail address');
  return {
    full_name,
    search_name: searchName(full_name),
    email,
    birth_date: input.birthDate ? parseLocalDate('birthDate', input.birthDate) : null,
    gender: input.gender ? parseOneOf('gender', input.gender, GENDERS) : null,
    address: parseOptionalText('address', input.address, 500),
    notes: parseOptionalText('notes', input.notes, 5000),
  };
}

/** Null when absent or blank. */
export function readDui(text: string | undefined): Dui | null {
  return text?.trim() ? (parseDui(text) ?? invalid('dui', 'must be 8 digits, a dash and 1 digit')) : null;
}
