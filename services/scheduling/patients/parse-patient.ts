// The fields of a patient as requests send them, checked and normalized.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseDui } from '@clinic/lib/formats/dui.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { searchName } from '@clinic/lib/formats/search-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import type { PatientFields } from './sql/patients.sql.ts';

const GENDERS = ['female', 'male', 'other'] as const;

export type DetailsInput = {
  fullName: string;
  email?: string | undefined;
  birthDate?: string | undefined;
  gender?: string | undefined;
  address?: string | undefined;
  notes?: string | undefined;
};

/** All fields but the phone, which a dependant does not have. Absent and blank ones become null. `today` is the date in the clinic. */
export function parseDetails(input: DetailsInput, today: string): Omit<PatientFields, 'phone'> {
  const full_name = parseName('fullName', input.fullName);
  return {
    full_name,
    search_name: searchName(full_name),
    email: input.email?.trim() ? parseEmail('email', input.email) : null,
    birth_date: input.birthDate ? parseBirthDate(input.birthDate, today) : null,
    gender: input.gender ? parseOneOf('gender', input.gender, GENDERS) : null,
    address: parseOptionalText('address', input.address, 500),
    notes: parseOptionalText('notes', input.notes, 5000),
  };
}

function parseBirthDate(text: string, today: string): string {
  const date = parseLocalDate('birthDate', text);
  return date < today ? date : invalid('birthDate', 'must be in the past');
}

/** Null when absent or blank. */
export const parseOptionalDui = (path: string, text: string | undefined): string | null => (text?.trim() ? parseDui(path, text) : null);
