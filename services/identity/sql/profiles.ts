// The clinic as its papers show it.
import { sql } from '@clinic/lib/db.ts';

/** $1 clinic. */
export const findProfileStatement = sql<{ name: string; phone: string | null; address: string | null; city: string | null }>(`
  select name, phone, address, city from clinics where clinic_id = $1`);
