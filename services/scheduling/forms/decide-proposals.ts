// Proposed medical alerts, which the staff accepts or dismisses once.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AcceptAlertProposalRequest, DismissAlertProposalRequest, ListAlertProposalsRequest } from '@clinic/proto/scheduling/v1/form_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { MAX_ALERT_TEXT, SEVERITIES } from '../medical-alerts/alert-rules.ts';
import { insertAlert, toProto as toAlert } from '../medical-alerts/medical-alerts.sql.ts';
import { listProposals, lockProposal, PROPOSAL_STATUSES, type ProposalRow, setDecided, toProto } from './alert-proposals.sql.ts';

const NOUN = 'Proposed medical alert';

export async function listAlertProposals(app: App, request: ListAlertProposalsRequest, call: Call) {
  const page = parsePage(request, 50, 500);
  const filter = {
    patientId: request.patientId === undefined ? null : parseUuid('patient_id', request.patientId),
    status: request.status === undefined ? null : parseOneOf('status', request.status, PROPOSAL_STATUSES),
  };
  const { rows, total } = await listProposals(app.db, clinicOf(call).id, filter, page);
  return { proposals: rows.map(toProto), total, page: page.page, limit: page.limit };
}

export async function acceptAlertProposal(app: App, request: AcceptAlertProposalRequest, call: Call) {
  const severity = parseOneOf('severity', request.severity || 'warning', SEVERITIES);
  const text = request.text === undefined ? undefined : parseText('text', request.text, MAX_ALERT_TEXT);
  return decide(app, request.id, 'accepted', call, async (tx, proposal, now) => {
    const [id, patientId] = [v7(), proposal.shown_patient_id];
    const alert = await insertAlert(tx, id, patientId, { kind: proposal.kind, severity, text: text ?? proposal.text }, now);
    const changes = { patient_id: patientId, severity, form_id: proposal.form_id };
    await audit(tx, tx.clinicId, call.caller, { action: 'medical_alert.created', entityId: id, changes });
    return alert;
  });
}

export const dismissAlertProposal = (app: App, { id }: DismissAlertProposalRequest, call: Call) => decide(app, id, 'dismissed', call, async () => undefined);

type AddAlert = (tx: TenantTx, proposal: ProposalRow, now: Date) => Promise<Parameters<typeof toAlert>[0] | undefined>;

async function decide(app: App, id: string, status: 'accepted' | 'dismissed', call: Call, addAlert: AddAlert) {
  if (!isUuid(id)) fail('NOT_FOUND', `${NOUN} not found`);
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const proposal = found(await lockProposal(tx, id), NOUN);
    if (proposal.status === status) return toProto(proposal);
    if (proposal.status !== 'open') fail('PROPOSAL_DECIDED');
    const now = app.clock.now();
    const alert = await addAlert(tx, proposal, now);
    await setDecided(tx, id, status, call.caller.id, now, alert?.id ?? null);
    await audit(tx, tx.clinicId, call.caller, { action: `alert_proposal.${status}`, entityId: id, changes: { patient_id: proposal.patient_id } });
    return { ...toProto({ ...proposal, status, decided_by: call.caller.id, decided_at: now }), alert: alert && toAlert(alert) };
  });
}
