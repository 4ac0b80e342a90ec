// Links by which patients see, confirm, move and cancel their appointments.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import { listManagedDays, listManagedSlots } from './list-managed-times.ts';
import { cancelManagedAppointment, confirmManagedAppointment, getManagedAppointment, moveManagedAppointment } from './manage-appointment.ts';
import { getManageLink } from './manage-link.ts';

export const manageLinks: Module<App> = {
  rpcs: [
    rpcs(ManageLinkService, {
      getManagedAppointment,
      listManagedDays,
      listManagedSlots,
      moveManagedAppointment,
      confirmManagedAppointment,
      cancelManagedAppointment,
      getManageLink,
    }),
  ],
};
