// The process of messaging.
import { runService } from '@clinic/lib/runtime/main.ts';
import service from './service.ts';

await runService(service);
