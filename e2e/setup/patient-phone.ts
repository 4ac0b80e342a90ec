// A patient's phone at the simulated chat provider: it sends texts, presses buttons, and shows received messages.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';

export type ShownChoice = { id: string; title: string };
type ShownMessage = { text: string; choices: ShownChoice[] };

export type PatientPhone = ReturnType<typeof patientPhone>;

/** `simulator` is the address of the provider, `number` its id of the clinic's number, and `phone` is in E.164 format. */
export function patientPhone(simulator: string, number: string, phone: string, name = 'Rosa') {
  const digits = phone.slice(1);

  async function messages(): Promise<ShownMessage[]> {
    const response = await fetch(`${simulator}/simulator/thread?number=${number}&phone=${digits}`);
    const lines = (await response.json()) as { from: string; body: Sent }[];
    return lines.filter(({ from }) => from === 'clinic').map(({ body }) => shown(body));
  }

  async function send(what: object): Promise<void> {
    const body = JSON.stringify({ number, phone: digits, name, ...what });
    const response = await fetch(`${simulator}/simulator/say`, { method: 'POST', body });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Waits for the next message. */
  async function answerTo(sending: () => Promise<void>): Promise<ShownMessage> {
    const before = (await messages()).length;
    await sending();
    return next(before);
  }

  const next = (after: number) => waitFor(async () => (await messages())[after] ?? false);

  return {
    phone,
    messages,
    next,
    /** Sends a text without waiting for a reply. */
    write: (text: string) => send({ text }),
    say: (text: string) => answerTo(() => send({ text })),
    press: ({ id, title }: ShownChoice) => answerTo(() => send({ choice: { id, title } })),
  };
}

type Button = { reply: ShownChoice };
type Sent = {
  type: string;
  text?: { body: string };
  interactive?: { body: { text: string }; action: { buttons?: Button[]; sections?: { rows: ShownChoice[] }[] } };
  template?: { components: { type: string; parameters: { text?: string; payload?: string }[] }[] };
};

function shown({ text, interactive, template }: Sent): ShownMessage {
  const { buttons = [], sections = [] } = interactive?.action ?? {};
  const payloads = (template?.components ?? []).filter(({ type }) => type === 'button').map(({ parameters }) => parameters[0]?.payload ?? '');
  const choices = [...buttons.map(({ reply }) => reply), ...sections.flatMap(({ rows }) => rows), ...payloads.map((id) => ({ id, title: id }))];
  return { text: text?.body ?? interactive?.body.text ?? '', choices: choices.map(({ id, title }) => ({ id, title })) };
}
