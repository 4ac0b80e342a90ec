// Client of the language model: any server with OpenAI's chat completions API. A call fails when the model is silent for longer than the configured
// time. It ends with an answer or a ModelError.

import { limitBody } from '@clinic/lib/http/limit-body.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';

export type ModelMessage = ChatCompletionMessageParam;
export type ModelTool = ChatCompletionTool;
type ToolCall = { id: string; name: string; args: string };
/** `tokens` is null if the server did not report them. */
export type ModelAnswer = { text: string; calls: ToolCall[]; tokens: number | null };
export type ModelRequest = { messages: ModelMessage[]; tools?: ModelTool[]; maxTokens: number };

export type Model = {
  /** Yields the text piece by piece and returns the whole answer. Throws a ModelError, or the reason of `signal` if that is aborted. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<string, ModelAnswer, void>;
};

/** unavailable: unreachable, overloaded or failing. slow: silent for too long. refused: rejected the request. invalid: sent an unusable answer. */
type ModelFault = 'unavailable' | 'slow' | 'refused' | 'invalid';

export class ModelError extends Error {
  readonly fault: ModelFault;
  constructor(fault: ModelFault, message: string) {
    super(message);
    this.name = 'ModelError';
    this.fault = fault;
  }
}

/** Limits of an answer. A model that exceeds them is assumed not to stop. */
const MAX_CHARACTERS = 12_000;
const MAX_CALLS = 16;
/** Of a whole response. A chunk with a few characters has hundreds of bytes. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

type ModelOptions = {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  /** The longest silence allowed before the first piece, and between two pieces. */
  silenceMs: number;
};

export function createModel({ baseUrl, apiKey, model, silenceMs }: ModelOptions): Model {
  /** The SDK is loaded with the first question, because it takes 19 MB and an eighth of the start time. */
  const load = async () => {
    const sdk = await import('openai');
    // Every option is set, because the SDK reads missing ones from the environment.
    const client = new sdk.OpenAI({
      baseURL: baseUrl,
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: silenceMs,
      fetch: async (url, init) => limitBody(await fetch(url, init), MAX_RESPONSE_BYTES),
      logLevel: 'off',
    });
    return { sdk, client };
  };
  let loaded: ReturnType<typeof load> | undefined;

  return {
    async *ask({ messages, tools, maxTokens }, signal) {
      loaded ??= load();
      const { sdk, client } = await loaded;
      const silence = new AbortController();
      const timer = setTimeout(() => silence.abort(), silenceMs);
      const answer = collectAnswer();
      try {
        const stream = await measureExternalCall('model', 'answer', () =>
          client.chat.completions.create(
            { model, messages, stream: true, stream_options: { include_usage: true }, max_completion_tokens: maxTokens, ...(tools?.length && { tools }) },
            { signal: AbortSignal.any([signal, silence.signal]) },
          ),
        );
        for await (const chunk of stream) {
          timer.refresh();
          const text = answer.add(chunk);
          if (text) yield text;
        }
        // The SDK ends an aborted stream without an error.
        signal.throwIfAborted();
        if (silence.signal.aborted) throw new ModelError('slow', 'The model stopped sending');
        return answer.whole();
      } catch (error) {
        signal.throwIfAborted();
        throw silence.signal.aborted ? new ModelError('slow', 'The model stopped sending') : toModelError(error, sdk);
      } finally {
        clearTimeout(timer);
        silence.abort(); // ends the call to the server when the caller stops reading
      }
    },
  };
}

/** Assembles an answer from its chunks. `add` returns the text of a chunk. */
function collectAnswer(): { add(chunk: ChatCompletionChunk): string; whole(): ModelAnswer } {
  const calls = new Map<number, ToolCall>();
  let [whole, size, finish] = ['', 0, ''];
  let tokens: number | null = null;
  return {
    add({ usage, choices }) {
      if (typeof usage?.total_tokens === 'number') tokens = usage.total_tokens;
      const choice = choices?.[0];
      finish = choice?.finish_reason ?? finish;
      const text = typeof choice?.delta?.content === 'string' ? choice.delta.content : '';
      whole += text;
      size += text.length;
      for (const { index, id, function: called } of choice?.delta?.tool_calls ?? []) {
        const call = calls.get(index) ?? { id: '', name: '', args: '' };
        calls.set(index, { id: call.id || (id ?? ''), name: call.name + (called?.name ?? ''), args: call.args + (called?.arguments ?? '') });
        size += called?.arguments?.length ?? 0;
      }
      if (size > MAX_CHARACTERS || calls.size > MAX_CALLS) throw new ModelError('invalid', 'The answer of the model is too long');
      return text;
    },
    whole() {
      if (finish === '' || finish === 'length') throw new ModelError('invalid', 'The answer of the model is incomplete');
      if (whole.trim() === '' && calls.size === 0) throw new ModelError('invalid', 'The answer of the model is empty');
      return { text: whole, calls: [...calls.values()].map((call, index) => ({ ...call, id: call.id || `call_${index}` })), tokens };
    },
  };
}

function toModelError(error: unknown, { APIConnectionError, APIConnectionTimeoutError, APIError }: typeof import('openai')): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return new ModelError('slow', 'The model did not respond in time');
  if (error instanceof APIConnectionError) return new ModelError('unavailable', 'The model cannot be reached');
  if (error instanceof APIError && typeof error.status === 'number') {
    const busy = error.status === 408 || error.status === 409 || error.status === 429 || error.status >= 500;
    return new ModelError(busy ? 'unavailable' : 'refused', `The model's server responded with ${error.status}`);
  }
  if (error instanceof APIError) return new ModelError('unavailable', "The model's server reported an error");
  // These errors mean that the connection failed during the answer. Any other error comes from parsing the answer.
  const broken = error instanceof TypeError || typeof (error as { code?: unknown }).code === 'string';
  return broken ? new ModelError('unavailable', 'The connection to the model was lost') : new ModelError('invalid', 'The answer of the model cannot be parsed');
}
