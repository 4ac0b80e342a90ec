// What doctors have earned of the payments of a month. As everywhere, that is for admins.
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { person, type Reference, reference } from '../rules/tool-output.ts';
import { amountOf } from './plans.ts';
import { in2, tool } from './tool.ts';

const monthReference = (month: string): Reference => ({
  kind: 'consulta',
  id: `commissions ${month}`,
  href: `/api/commissions/report?month=${month}`,
  label: `Comisiones ${month}`,
});
const dollars = (cents: bigint) => `$${amountOf(cents).toFixed(2)}`;

export const commissions = tool({
  name: 'commissions',
  about: "Doctors' commissions of one month, by doctor. Without a month this one.",
  needs: { admin: true },
  args: z.object({
    month: z
      .string()
      .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/)
      .optional()
      .describe('YYYY-MM'),
  }),
  read: (asking, { month }) =>
    createClient(CommissionService, asking.app.neighbour('scheduling')).getCommissionReport({ ...(month !== undefined && { month }) }, asking.as),
  tell: ({ month, doctors, totalAmount }) => ({
    source: reference(monthReference(month)),
    month,
    total: amountOf(totalAmount),
    doctors: doctors.map(({ fullName, payments, paymentAmount, totalAmount }) => ({
      doctor: person(fullName),
      payments,
      paid: amountOf(paymentAmount),
      commission: amountOf(totalAmount),
    })),
  }),
  summary: ({ month, doctors }, language) =>
    in2(language, `Comisiones de ${month}: ${doctors.length} doctores`, `Commissions of ${month}: ${doctors.length} doctors`),
  say({ month, doctors, totalAmount }, language, cite) {
    const head = in2(language, `Comisiones de ${month}: ${dollars(totalAmount)}`, `Commissions of ${month}: ${dollars(totalAmount)}`);
    return [`${head} ${cite(monthReference(month))}`, ...doctors.map(({ fullName, totalAmount }) => `- ${fullName}: ${dollars(totalAmount)}`)].join('\n');
  },
});
