// FAQ entries, and conversations of patients with the bot and the desk on the simulated phones.
import { setTimeout as sleep } from 'node:timers/promises';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { ConversationService, type Message } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { FaqService } from '@clinic/proto/messaging/v1/faq_pb.js';
import type { Patient } from '@clinic/proto/scheduling/v1/patient_pb.js';
import { numberId } from '../../chat-simulator/state.ts';
import { CHATS, FAQS, type Line } from '../data/chats.ts';
import type { Demo } from '../demo.ts';
import { PHONES, somePatients } from '../patients.ts';

const POLL_MS = 200;
const PATIENCE_MS = 30_000;

/** Without a simulated chat provider, only the FAQ entries. */
export async function chats(demo: Demo): Promise<void> {
  const faqs = demo.client(FaqService, 'messaging');
  for (const [index, faq] of FAQS.entries()) await faqs.createFaq(faq, demo.admin(`faq-${index}`));
  if (!demo.phoneUrl) return;
  const status = await demo.client(ChannelService, 'messaging').getChannelStatus({}, demo.admin());
  if (status.status !== 'active') return;
  // The last patients, because they have no appointments and so receive no reminders.
  const patients = (await somePatients(demo, PHONES.length)).slice(-CHATS.length);
  for (const [index, patient] of patients.entries()) await converse(demo, numberId(digits(status.number)), patient, CHATS[index] ?? []);
}

const digits = (phone: string) => phone.replaceAll(/\D/g, '');

/** Skips a conversation that an interrupted start has begun. */
async function converse(demo: Demo, number: string, { phone = '', fullName: name }: Patient, lines: Line[]): Promise<void> {
  const service = demo.client(ConversationService, 'messaging');
  /** The messages of the patient or the bot, the newest first. */
  const writtenBy = async (who: 'patient' | 'bot') => {
    const { total } = await service.listConversations({ search: phone, page: 1, limit: 1 }, demo.admin());
    return total === 0 ? [] : (await service.listMessages({ phone, limit: 100 }, demo.admin())).messages.filter(({ sender }) => sender === who);
  };
  if ((await writtenBy('patient')).length > 0) return;
  let offered: Message['choices'] = [];
  const send = async (said: object, isAnswered = true) => {
    const next = isAnswered ? 'bot' : 'patient';
    const known = (await writtenBy(next)).length;
    const body = JSON.stringify({ number, phone: digits(phone), name, ...said });
    // The response comes when the gateway has acknowledged the message.
    const signal = AbortSignal.any([demo.signal, AbortSignal.timeout(PATIENCE_MS)]);
    await fetch(`${demo.phoneUrl}/simulator/say`, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
    for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
      const [newest, ...older] = await writtenBy(next);
      offered = newest?.choices ?? [];
      if (newest && older.length >= known) return;
      await sleep(POLL_MS, undefined, { signal: demo.signal });
    }
    throw new Error(`no message of the ${next} followed ${body}`);
  };
  for (const line of lines) {
    if ('says' in line) await send({ text: line.says }, !line.unanswered);
    else if ('takes' in line) {
      const choice = offered.find(({ id, title }) => title === line.takes || id.startsWith(line.takes));
      if (choice) await send({ choice: { kind: 'list_reply', id: choice.id, title: choice.title } });
    } else {
      await service.takeOver({ phone }, demo.admin());
      await service.reply({ phone, message: line.deskSays }, demo.admin());
    }
  }
}
