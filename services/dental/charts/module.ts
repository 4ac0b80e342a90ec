import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import type { App } from '../app.ts';
import { addChartEntry } from './rpcs/add-chart-entry.ts';
import { getChartSettings, updateChartSettings } from './rpcs/chart-settings.ts';
import { drawChart, getChart } from './rpcs/get-chart.ts';
import { getChartHistory } from './rpcs/get-chart-history.ts';
import { listFindings } from './rpcs/list-findings.ts';
import { setDentition } from './rpcs/set-dentition.ts';
import { voidChartEntry } from './rpcs/void-chart-entry.ts';

export const charts: Module<App> = {
  rpcs: [
    rpcs(ChartService, {
      getChart,
      drawChart,
      getChartHistory,
      addChartEntry,
      voidChartEntry,
      setDentition,
      listFindings,
      getChartSettings,
      updateChartSettings,
    }),
  ],
  personal: [
    // Entries refer to the entries they replace, so those of a patient are deleted by one statement.
    { table: 'chart_entries', ofPatient: 'patient_id = any($ids)', erase: 'delete', whole: true },
    { table: 'charts', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'chart_settings' },
  ],
};
