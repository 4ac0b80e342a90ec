// Without a configured chat provider, a simulated one is used. Its address is chosen before the services start, and it is started after them.
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Transport } from '@connectrpc/connect';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { bindDemo } from '../chat-simulator/bind-demo.ts';
import { startSimulatorProcess } from './simulator-process.ts';

type Running = { gatewayUrl: string; transport: (service: string) => Transport; demo: { email: string; password: string } | undefined };

/** Undefined when CHAT_API_BASE_URL is set, and in production. */
export async function planChatSimulator(env: NodeJS.ProcessEnv, running: Stoppable[], print: (line: string) => void) {
  if (env.CHAT_API_BASE_URL || env.NODE_ENV === 'production') return undefined;
  const port = Number(env.CHAT_SIMULATOR_PORT) || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  return {
    /** The environment for the services. */
    env: { ...env, CHAT_API_BASE_URL: url } as NodeJS.ProcessEnv,
    /** Starts it and connects the demo clinic to a number. Returns the address of the phone's page. */
    async start({ gatewayUrl, transport, demo }: Running) {
      const own = { CHAT_SIMULATOR_PORT: String(port), CHAT_WEBHOOK_URL: `${gatewayUrl}/webhooks/chat`, CHAT_APP_SECRET: env.CHAT_APP_SECRET };
      const program = 'scripts/dev/chat-simulator/main.ts';
      await startSimulatorProcess({ name: 'chat simulator', program, env: own, probe: `${url}/simulator/numbers`, running, print });
      if (demo) await bindDemo(transport, demo).catch((error: Error) => print(`the demo clinic has no chat number: ${error.message}`));
      return url;
    },
  };
}
