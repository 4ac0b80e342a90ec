// The simulated chat provider as a process of its own.
import { startSimulator } from './server.ts';

const { CHAT_SIMULATOR_PORT = '0', CHAT_WEBHOOK_URL = 'http://127.0.0.1:8080/webhooks/chat', CHAT_APP_SECRET = '' } = process.env;
const simulator = await startSimulator({ port: Number(CHAT_SIMULATOR_PORT), webhookUrl: CHAT_WEBHOOK_URL, secret: CHAT_APP_SECRET });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void simulator.stop().then(() => process.exit(0)));
process.send?.({ url: simulator.url });
