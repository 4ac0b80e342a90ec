// The agenda of a day by doctor, on the screen and by mail.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { App } from '../app.ts';
import { getAgendaSubscription, setAgendaSubscription } from './agenda-subscription.ts';
import { getAgenda } from './get-agenda.ts';
import { mailAgendaJob, markAgendasJob } from './mail-agendas.ts';

export const agenda: Module<App> = {
  rpcs: [rpcs(AgendaService, { getAgenda, getAgendaSubscription, setAgendaSubscription })],
  jobs: (app) => [markAgendasJob(app), mailAgendaJob(app)],
  personal: [{ table: 'agenda_mails' }, { table: 'agenda_subscriptions' }],
};
