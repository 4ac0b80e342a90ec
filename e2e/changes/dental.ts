// Changes of charts, plans, prices and recall campaigns.
import { expect } from '@jest/globals';
import { type Changes, type Context, NO_BODY, plain, type Target } from './change.ts';

const TEMPLATE = 'Hola {nombre}';

export async function dentalChanges({ booked, patient, get, post, find, fresh, at }: Context): Promise<Changes> {
  const openPlan = () => post('/api/dental/treatment-plans', { patient_id: booked.patient_id, title: 'Plan', notes: 'Nota' });
  const plan = async (): Promise<Target> => {
    const { id } = await openPlan();
    return at(`/api/dental/treatment-plans/${id}`, { id });
  };
  /** The first of two steps. */
  const step = async (): Promise<Target> => {
    const { id: planId } = await openPlan();
    const { id } = await post(`/api/dental/treatment-plans/${planId}/steps`, { procedure: 'Corona', estimated_cost: 50, notes: 'Nota' });
    await post(`/api/dental/treatment-plans/${planId}/steps`, { procedure: 'Limpieza' });
    return {
      params: { id },
      read: () =>
        find(
          get(`/api/dental/treatment-plans/${planId}`).then(({ steps }) => steps),
          id,
        ),
    };
  };
  const paymentPlan = async (): Promise<Target> => {
    const { id } = await post('/api/dental/payment-plans', { patient_id: booked.patient_id, description: 'Corona', total_amount: 100, notes: 'Nota' });
    return at(`/api/dental/payment-plans/${id}`, { id });
  };
  const campaign = async (): Promise<Target> => {
    const { id } = await post('/api/dental/recall-campaigns', { name: 'Semestral', message_template: TEMPLATE, procedure_type: 'limpieza' });
    return at(`/api/dental/recall-campaigns/${id}`, { id });
  };

  return {
    'PATCH /api/dental/settings': { record: fresh('/api/dental/settings'), fields: plain({ chart_colors: 'red_blue' }) },
    'PUT /api/dental/charts/:patientId/dentition': {
      record: async () => at(`/api/dental/charts/${booked.patient_id}/current`, { patientId: booked.patient_id }),
      fields: plain({ dentition: 'mixed' }),
    },
    'PATCH /api/dental/treatment-plans/:id': {
      record: plan,
      fields: {
        ...plain({ title: 'Otro', status: 'paused', notes: 'Otra' }),
        estimated_total: { value: 850.5, shown: { estimated_total: 850.5 }, cleared: { estimated_total: 0 } },
      },
    },
    'PATCH /api/dental/treatment-steps/:id': {
      record: step,
      fields: plain({ status: 'completed', notes: 'Otra', estimated_cost: 75.5, appointment_id: booked.id, procedure: 'Puente', step_order: 2 }),
    },
    'PUT /api/dental/prices': {
      record: fresh('/api/dental/prices'),
      fields: {
        prices: {
          value: [{ code: 'a', name: 'A', price: 12.5 }],
          shown: { prices: expect.arrayContaining([expect.objectContaining({ code: 'a', name: 'A', price: 12.5 })]) },
        },
      },
    },
    'PATCH /api/dental/payment-plans/:id': {
      record: paymentPlan,
      fields: plain({ description: 'Puente', status: 'cancelled', reminder_enabled: true, reminder_day_of_month: 5, notes: 'Otra' }),
    },
    'PATCH /api/dental/recall-campaigns/:id': {
      record: campaign,
      fields: plain({
        name: 'Anual',
        message_template: `${TEMPLATE}, le esperamos`,
        procedure_type: 'ortodoncia',
        recall_interval_days: 365,
        send_time: '10:30:00',
        max_attempts: 4,
        retry_interval_days: 21,
        is_active: false,
      }),
    },
    'PATCH /api/dental/patients/:id/recall-opt-out': { record: patient, fields: { [NO_BODY]: { value: undefined, shown: { recall_opted_out: true } } } },
  };
}
