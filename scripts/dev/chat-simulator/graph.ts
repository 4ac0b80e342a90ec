// The calls of the Graph API that the product makes, with responses like the provider's.
import { CODE, type Fault, numberId, type State } from './state.ts';
import { newId, type Webhooks } from './webhooks.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the caller sent
type Call = { method: string; parts: string[]; token: string; body: any };
type Answer = { status: number; body: unknown };

const ok = (body: unknown = { success: true }): Answer => ({ status: 200, body });
export const refuse = (status: number, code: number, message: string): Answer => ({
  status,
  body: { error: { message, type: 'OAuthException', code, fbtrace_id: 'simulated' } },
});

const OWNER_ONLY = new Set(['GET ', 'POST register', 'POST deregister', 'POST messages']);
const STATUS_MS = 150;

export function answerGraph(state: State, webhooks: Webhooks, { method, parts, token, body }: Call, fault: Fault | undefined): Answer {
  const [id = '', what = ''] = parts;
  if (!token || token === 'expired') return refuse(401, 190, 'Invalid OAuth access token');
  if (OWNER_ONLY.has(`${method} ${what}`) && (state.number(id).token ?? token) !== token)
    return refuse(400, 100, `Unsupported request. Object with ID '${id}' does not exist or cannot be loaded due to missing permissions`);
  switch (`${method} ${what}`) {
    case 'POST phone_numbers':
      return addNumber(state, id, token, body);
    case 'GET phone_numbers':
      return ok({
        data: [...state.numbers.values()].filter(({ wabaId }) => wabaId === id).map((one) => ({ id: one.id, display_phone_number: `+${one.phone}` })),
      });
    case 'POST request_code':
      return ['SMS', 'VOICE'].includes(body?.code_method) ? ok() : refuse(400, 100, 'Invalid parameter: code_method must be SMS or VOICE');
    case 'POST verify_code':
      if (body?.code !== CODE) return refuse(400, 136025, 'Verify code error: the code is wrong');
      Object.assign(state.number(id), { verified: true, token });
      return ok({ success: true, id });
    case 'POST register':
      return register(state, id, body);
    case 'POST deregister':
      state.number(id).verified = false;
      return ok();
    case 'POST subscribed_apps':
      return ok();
    case 'POST messages':
      return body?.status === 'read' ? ok() : receiveMessage(state, webhooks, id, body, fault);
    case 'GET ': {
      const { phone, verified } = state.number(id);
      return ok({
        id,
        display_phone_number: `+${phone}`,
        verified_name: 'Simulated',
        quality_rating: 'GREEN',
        code_verification_status: verified ? 'VERIFIED' : 'NOT_VERIFIED',
      });
    }
    default:
      return refuse(404, 803, 'Unknown path');
  }
}

function addNumber(state: State, wabaId: string, token: string, body: { phone_number?: string }): Answer {
  const digits = String(body?.phone_number ?? '');
  if (!/^\d{5,15}$/.test(digits)) return refuse(400, 100, 'Invalid parameter: phone_number must be in E.164 format');
  const id = numberId(digits);
  state.numbers.set(id, { token, ...state.number(id), wabaId, phone: digits });
  return ok({ id });
}

function register(state: State, id: string, body: { pin?: string }): Answer {
  const number = state.number(id);
  const pin = String(body?.pin ?? '');
  if (!/^\d{6}$/.test(pin)) return refuse(400, 100, 'Invalid PIN format. PIN must be exactly 6 digits');
  if (number.pin && number.pin !== pin) return refuse(400, 133005, 'Two step verification PIN mismatch');
  number.pin = pin;
  return ok();
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function receiveMessage(state: State, webhooks: Webhooks, numberId: string, body: any, fault: Fault | undefined): Answer {
  const to = String(body?.to ?? '').replace(/\D/g, '');
  if (body?.messaging_product !== 'whatsapp' || !to || !body.type || !body[body.type]) return refuse(400, 131008, 'Required parameter is missing');
  const id = newId();
  const number = state.number(numberId);
  const line = { id, from: 'clinic' as const, at: new Date().toISOString(), body, status: 'sent' };
  state.addLine(numberId, to, line);
  if (!fault?.silent) {
    const callback = body.biz_opaque_callback_data === undefined ? {} : { biz_opaque_callback_data: body.biz_opaque_callback_data };
    const publishStatus = (status: string) => {
      line.status = status;
      void webhooks.status(number, to, { id, status, ...callback });
    };
    setTimeout(() => publishStatus('sent'), STATUS_MS).unref();
    setTimeout(() => publishStatus('delivered'), 2 * STATUS_MS).unref();
  }
  return ok({ messaging_product: 'whatsapp', contacts: [{ input: body.to, wa_id: to }], messages: [{ id, message_status: 'accepted' }] });
}
