// What a row of an import changes of an existing patient.

/** The fields of a patient or of a row that are compared. */
export type Comparable = {
  full_name: string;
  search_name: string;
  phone: string | null;
  email: string | null;
  birth_date: string | null;
  gender: string | null;
  address: string | null;
  notes: string | null;
};

const FIELDS = ['full_name', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;

/** The patient's fields after the row; empty cells change nothing. Undefined when nothing changes. */
export function changedBy<T extends Comparable>(known: T, row: Comparable): Comparable | undefined {
  const pick = (field: (typeof FIELDS)[number]) => row[field] ?? known[field];
  if (FIELDS.every((field) => pick(field) === known[field])) return undefined;
  return {
    full_name: row.full_name,
    search_name: row.search_name,
    phone: known.phone,
    email: pick('email'),
    birth_date: pick('birth_date'),
    gender: pick('gender'),
    address: pick('address'),
    notes: pick('notes'),
  };
}
