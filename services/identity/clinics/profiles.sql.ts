// The clinic as its papers show it.
import { sql } from '@clinic/lib/db/db.ts';

/** $1 clinic. */
export const findProfileStatement = sql<{
  name: string;
  phone: string | null;
  address: string | null;
  city: string | null;
  currency: string;
  logo: Buffer | null;
}>(`
  
  select c.name, c.phone, c.address, c.city, c.currency, p.content as logo
  from clinics c left join pictures p on p.clinic_id = c.clinic_id and p.id = c.logo_id where c.clinic_id = $1`);
