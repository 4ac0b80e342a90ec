// What operators change while the product runs: limits and read-only mode of clinics, maintenance, notices.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { OperationsService } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { getClinicLimits, updateClinicLimits } from './clinic-limits.ts';
import { getOperatingState } from './get-operating-state.ts';
import { endMaintenance, getMaintenance, setMaintenance } from './maintenance.ts';
import { createNotice, deleteNotice, listNotices } from './operator-notices.ts';

export const operations: Module<App> = {
  rpcs: [
    rpcs(OperationsService, {
      getClinicLimits,
      updateClinicLimits,
      getMaintenance,
      setMaintenance,
      endMaintenance,
      listNotices,
      createNotice,
      deleteNotice,
    }),
    rpcs(AccessService, { getOperatingState }),
  ],
  personal: [
    { table: 'clinic_limits' },
    { table: 'maintenance', ofClinic: null, why: 'it is set by operators and names nobody' },
    { table: 'operator_notices', ofClinic: null, why: 'texts of operators for all clinics' },
  ],
};
