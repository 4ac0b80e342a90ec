// Lists the patients that the recall campaigns would invite to a check-up, and the results of this month.
import { counted } from '@clinic/lib/formats/counted.ts';
import { z } from 'zod';
import { DENTAL } from '../permissions.ts';
import { freeText, person, type Reference, reference } from '../rules/tool-output.ts';
import { inLanguage } from '../rules/wording.ts';
import { defineTool } from './tool.ts';

const MAX_CAMPAIGNS = 10;
const MAX_PATIENTS = 10;

const campaignReference = ({ id, name }: { id: string; name: string }): Reference => ({
  kind: 'campana',
  id,
  href: `/api/dental/recall-campaigns/${id}/eligible`,
  label: name,
});

export const recall = defineTool({
  name: 'recall',
  description: 'Whom the recall campaigns would invite to come again, and how this month went.',
  requires: DENTAL,
  args: z.object({}),
  async load({ app, asUser }) {
    const client = app.dental.recall;
    const [{ campaigns }, stats] = await Promise.all([client.listRecallCampaigns({}, asUser), client.getRecallStats({}, asUser)]);
    const active = campaigns.filter(({ isActive }) => isActive).slice(0, MAX_CAMPAIGNS);
    const due = await Promise.all(
      active.map(async (campaign) => ({ campaign, ...(await client.listRecallEligible({ id: campaign.id, page: 1, limit: MAX_PATIENTS }, asUser)) })),
    );
    return { due, stats, total: due.reduce((sum, { total }) => sum + total, 0) };
  },
  toModel: ({ due, stats, total }) => ({
    total,
    campaigns: due.map(({ campaign, patients, total }) => ({
      ref: reference(campaignReference(campaign)),
      name: freeText(campaign.name),
      eligible: total,
      // plain-words: visit is public
      first: patients.map(({ patientName, lastVisit }) => ({ name: person(patientName), last_appointment: lastVisit })),
    })),
    this_month: { sent: stats.sentThisMonth, responded: stats.responded, opted_out: stats.optedOut, booked: stats.booked },
  }),
  summary: ({ total }, language) => inLanguage(language, `Por invitar a control: ${total}`, `To be recalled: ${total}`),
  toText({ due, stats, total }, language, cite) {
    const head = inLanguage(language, `Pacientes que deberían volver a control: ${total}`, `Patients who should come again: ${total}`);
    const lines = due.map(({ campaign, patients, total }) => {
      const names = patients.flatMap(({ patientName }) => patientName ?? []).join(', ');
      return `- ${campaign.name}: ${total}${names ? ` (${names}${total > patients.length ? '…' : ''})` : ''} ${cite(campaignReference(campaign))}`;
    });
    const month = inLanguage(
      language,
      `Este mes: ${counted(stats.sentThisMonth, 'enviado', 'enviados')}, ${counted(stats.responded, 'respondido', 'respondidos')}, ${counted(stats.booked, 'cita', 'citas')}.`,
      `This month: ${stats.sentThisMonth} sent, ${stats.responded} answered, ${stats.booked} booked.`,
    );
    return [head, ...lines, month].join('\n');
  },
});
