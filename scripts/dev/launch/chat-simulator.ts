// Where no chat provider is configured, a simulated one stands in: its address is settled before the services start, and it
// runs once they do.
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import type { Transport } from '@connectrpc/connect';
import { freePort } from '../../../lib/runtime/free-port.ts';
import { bindDemo } from '../chat-simulator/bind-demo.ts';
import { startSimulatorProcess } from './simulator-process.ts';

type Running = { gatewayPort: number; transport: (service: string) => Transport; demo: { email: string; password: string } | undefined };

export type ChatSimulator = {
  /** What the services are to know. */
  env: NodeJS.ProcessEnv;
  /** Starts it, and gives the demo clinic a number there. Returns the address of the phone's page. */
  start(product: Running): Promise<string>;
};

/** Undefined when CHAT_API_BASE_URL names a provider, and in production. */
export async function planChatSimulator(env: NodeJS.ProcessEnv, running: Stoppable[], say: (line: string) => void): Promise<ChatSimulator | undefined> {
  if (env.CHAT_API_BASE_URL || env.NODE_ENV === 'production') return undefined;
  const port = Number(env.CHAT_SIMULATOR_PORT) || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  return {
    env: { ...env, CHAT_API_BASE_URL: url },
    async start({ gatewayPort, transport, demo }) {
      const own = {
        CHAT_SIMULATOR_PORT: String(port),
        CHAT_WEBHOOK_URL: `http://127.0.0.1:${gatewayPort}/webhooks/chat`,
        CHAT_APP_SECRET: env.CHAT_APP_SECRET,
      };
      await startSimulatorProcess({
        name: 'chat simulator',
        program: 'scripts/dev/chat-simulator/main.ts',
        env: own,
        probe: `${url}/simulator/numbers`,
        running,
        say,
      });
      if (demo) await bindDemo(transport, demo).catch((error: Error) => say(`the demo clinic has no chat number: ${error.message}`));
      return url;
    },
  };
}
