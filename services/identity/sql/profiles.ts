// The clinic as its papers show it.
import { sql } from '@clinic/lib/db.ts';

/** $1 clinic. */
export const findProfileStatement = sql<{ name: string; phone: string | null; address: string | null; city: string | null; currency: string }>(`
  select name, phone, address, city, currency from clinics where clinic_id = $1`);
