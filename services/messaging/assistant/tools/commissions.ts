// The commissions of doctors on the payments of a month, for admins.
import { counted } from '@clinic/lib/formats/counted.ts';
import { formatCents, fromCents } from '@clinic/lib/formats/money.ts';
import { z } from 'zod';
import { person, queryReference, reference } from '../rules/tool-output.ts';
import { inLanguage } from '../rules/wording.ts';
import { optionalMonth } from './argument-schemas.ts';
import { defineTool } from './tool.ts';

const monthReference = (month: string) => queryReference(`commissions ${month}`, `/api/commissions/report?month=${month}`, `Comisiones ${month}`);

export const commissions = defineTool({
  name: 'commissions',
  description: "Doctors' commissions of one month, by doctor. Without a month this one.",
  requires: { admin: true },
  args: z.object({ month: optionalMonth }),
  load: ({ app, asUser }, { month }) => app.scheduling.commissions.getCommissionReport({ month }, asUser),
  toModel: ({ month, doctors, totalAmount }) => ({
    source: reference(monthReference(month)),
    month,
    total: fromCents(totalAmount),
    doctors: doctors.map(({ fullName, payments, paymentAmount, totalAmount }) => ({
      doctor: person(fullName),
      payments,
      paid: fromCents(paymentAmount),
      commission: fromCents(totalAmount),
    })),
  }),
  summary: ({ month, doctors: { length } }, language) =>
    inLanguage(
      language,
      `Comisiones de ${month}: ${counted(length, 'doctor', 'doctores')}`,
      `Commissions of ${month}: ${counted(length, 'doctor', 'doctors')}`,
    ),
  toText({ month, doctors, totalAmount }, language, cite, currency) {
    const total = formatCents(totalAmount, currency);
    const head = inLanguage(language, `Comisiones de ${month}: ${total}`, `Commissions of ${month}: ${total}`);
    const lines = doctors.map(({ fullName, totalAmount }) => `- ${fullName}: ${formatCents(totalAmount, currency)}`);
    return [`${head} ${cite(monthReference(month))}`, ...lines].join('\n');
  },
});
