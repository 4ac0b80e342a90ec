// Scheduling as a process of its own.
import { runService } from '@clinic/lib/runtime/main.ts';
import scheduling from './service.ts';

await runService(scheduling);
