// Medical alerts that patients' answers in signed forms propose.
import { type Db, execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { AlertFields } from '../medical-alerts/alert-rules.ts';
import { recordsOf, shownPatientOf } from '../patient-records/records.sql.ts';

export const PROPOSAL_STATUSES = ['open', 'accepted', 'dismissed'] as const;
type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export type ProposalRow = {
  id: string;
  patient_id: string;
  shown_patient_id: string;
  patient_name: string;
  form_id: string;
  kind: AlertFields['kind'];
  text: string;
  status: ProposalStatus;
  decided_by: string | null;
  decided_at: Date | null;
  created_at: Date;
};

export const toProto = (proposal: ProposalRow) => ({
  ...toFields(proposal),
  patients: { id: proposal.shown_patient_id, fullName: proposal.patient_name },
});

const COLUMNS = `a.id, a.patient_id, p.id as shown_patient_id, p.full_name as patient_name, a.form_id, a.kind, a.text, a.status, a.decided_by, a.decided_at,
  a.created_at`;
const JOINS = shownPatientOf('a');
const MATCHES = `a.clinic_id = $1 and ($2::uuid is null or a.patient_id = any(${recordsOf('$1', '$2')})) and ($3::text is null or a.status = $3)`;
const listStatement = sql<ProposalRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from alert_proposals a where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from alert_proposals a ${JOINS} where ${MATCHES} order by a.created_at desc, a.id desc limit $4 offset $5) page on true`);

type ProposalFilter = { patientId: string | null; status: ProposalStatus | null };

export const listProposals = (db: Db, clinicId: string, { patientId, status }: ProposalFilter, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, status, limit, offset]);

const lockStatement = sql<ProposalRow>(`select ${COLUMNS} from alert_proposals a ${JOINS} where a.clinic_id = $1 and a.id = $2 for update of a`);

export const lockProposal = (tx: TenantTx, id: string): Promise<ProposalRow | undefined> => row(tx, lockStatement, [tx.clinicId, id]);

const insertStatement = sql(`
  insert into alert_proposals (clinic_id, id, patient_id, form_id, kind, text, created_at) values ($1, $2, $3, $4, $5, $6, $7)`);

type NewProposal = Pick<ProposalRow, 'id' | 'patient_id' | 'form_id' | 'kind' | 'text' | 'created_at'>;

export const insertProposal = (tx: TenantTx, { id, patient_id, form_id, kind, text, created_at }: NewProposal) =>
  execute(tx, insertStatement, [tx.clinicId, id, patient_id, form_id, kind, text, created_at]);

const decideStatement = sql('update alert_proposals set status = $3, decided_by = $4, decided_at = $5, alert_id = $6 where clinic_id = $1 and id = $2');

export const setDecided = (tx: TenantTx, id: string, status: ProposalStatus, by: string, now: Date, alertId: string | null) =>
  execute(tx, decideStatement, [tx.clinicId, id, status, by, now, alertId]);
