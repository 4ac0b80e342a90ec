// A due message: the contact, its campaign, and whether the patient has come or booked since the contact was queued.
import { row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { CampaignRow } from './recall-campaigns.sql.ts';
import type { ContactRow } from './recall-contacts.sql.ts';
import { countsFor } from './recall-eligible.sql.ts';

type DueMessage = Pick<ContactRow, 'clinic_id' | 'id' | 'patient_id' | 'last_visit' | 'status' | 'failure'> &
  Pick<CampaignRow, 'message_template' | 'procedure_type'> & {
    /** The name of the procedure in the clinic's price list, when procedure_type is a code of it. */
    procedure_name: string | null;
    withdrawn: boolean;
    /** Whether the patient completed an appointment after the contact was queued, or `last_visit` is no longer the last one that counts. */
    visited: boolean;
    /** Whether the patient has a future appointment. */
    booked: boolean;
  };

const findStatement = sql<DueMessage>(`
  select k.clinic_id, k.id, k.patient_id, k.last_visit, k.status, k.failure, k.withdrawn, c.message_template, c.procedure_type,
    (select p.name from prices p where p.clinic_id = k.clinic_id and p.code = c.procedure_type) as procedure_name,
    exists (select 1 from recall_visits v
      where v.clinic_id = k.clinic_id and v.patient_id = k.patient_id and v.status = 'completed'
        and (v.starts_at > k.created_at or v.appointment_date > k.last_visit and ${countsFor('v', 'c')})) as visited,
    exists (select 1 from recall_visits f
      where f.clinic_id = k.clinic_id and f.patient_id = k.patient_id and f.status in ('confirmed', 'pending') and f.starts_at > $2) as booked
  from recall_contacts k join recall_campaigns c on c.clinic_id = k.clinic_id and c.id = k.campaign_id
  where k.id = $1`);

/** As the system, because messaging sends only the id of the contact. */
export const findDueMessage = (tx: SystemTx, contactId: string, now: Date) => row(tx, findStatement, [contactId, now]);
