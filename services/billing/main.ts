// Runs billing as a process of its own.
import { runService } from '@clinic/lib/runtime/main.ts';
import service from './service.ts';

await runService(service);
