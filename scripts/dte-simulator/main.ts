// Starts the simulated tax authority: node scripts/dte-simulator/main.ts [port]. Point DTE_API_BASE_URL at what it prints.
import { schemaFolder } from './schemas.ts';
import { startSimulator } from './server.ts';

const simulator = await startSimulator(Number(process.argv[2] ?? 0));
process.stdout.write(`schemas ${schemaFolder ? 'checked' : 'not there, so not checked'}\nready ${simulator.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop().then(() => process.exit(0)));
