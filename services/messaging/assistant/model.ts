// The language model, by any server that speaks OpenAI's chat completions. Whatever it does, a call ends: in an answer, or in
// a ModelError that says what was wrong, within the time that is set.
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';

export type ModelMessage = ChatCompletionMessageParam;
export type ModelTool = ChatCompletionTool;
export type ToolCall = { id: string; name: string; args: string };
/** `tokens` is null when the server did not count them. */
export type ModelAnswer = { text: string; calls: ToolCall[]; tokens: number | null };
export type ModelRequest = { messages: ModelMessage[]; tools?: ModelTool[]; maxTokens: number };

export type Model = {
  /** Yields the text piece by piece and returns the whole answer. Throws a ModelError, or the reason of `signal` when that fires. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncGenerator<string, ModelAnswer, void>;
};

/** away: not reached, overloaded or broken. slow: silent for too long. refused: it does not take our calls. nonsense: what it says is no answer. */
export type ModelFault = 'away' | 'slow' | 'refused' | 'nonsense';

export class ModelError extends Error {
  readonly fault: ModelFault;
  constructor(fault: ModelFault, message: string) {
    super(message);
    this.name = 'ModelError';
    this.fault = fault;
  }
}

/** More than anybody wants to read: who goes on does not come to an end. */
const MOST_LETTERS = 12_000;
const MOST_CALLS = 16;

export type ModelOptions = {
  baseUrl: string;
  apiKey: string | undefined;
  model: string;
  /** So long may it be silent, before the first piece and between two. */
  silenceMs: number;
};

export function createModel({ baseUrl, apiKey, model, silenceMs }: ModelOptions): Model {
  // What the SDK would read from the environment is said here, or is nothing: settings have one place.
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: silenceMs,
    logLevel: 'off',
  });

  return {
    async *ask({ messages, tools, maxTokens }, signal) {
      const silence = new AbortController();
      let timer = setTimeout(() => silence.abort(), silenceMs);
      const heard = () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), silenceMs);
      };
      const answer = gather(MOST_LETTERS);
      try {
        const stream = await measureExternalCall('model', 'answer', () =>
          client.chat.completions.create(
            { model, messages, stream: true, stream_options: { include_usage: true }, max_completion_tokens: maxTokens, ...(tools?.length && { tools }) },
            { signal: AbortSignal.any([signal, silence.signal]) },
          ),
        );
        for await (const chunk of stream) {
          heard();
          const text = answer.add(chunk);
          if (text) yield text;
        }
        // The SDK ends an aborted stream without a word.
        signal.throwIfAborted();
        if (silence.signal.aborted) throw new ModelError('slow', 'The model fell silent');
        return answer.whole();
      } catch (error) {
        signal.throwIfAborted();
        throw silence.signal.aborted ? new ModelError('slow', 'The model fell silent') : toModelError(error);
      } finally {
        clearTimeout(timer);
        silence.abort(); // also when nobody reads on: the call to the server ends with it
      }
    },
  };
}

/** An answer as its pieces come in: `add` gives the text of a piece. Throws when more comes than `most` characters. */
function gather(most: number): { add(chunk: ChatCompletionChunk): string; whole(): ModelAnswer } {
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
      if (size > most || calls.size > MOST_CALLS) throw new ModelError('nonsense', 'The model does not come to an end');
      return text;
    },
    whole() {
      if (finish === '' || finish === 'length') throw new ModelError('nonsense', 'The answer of the model broke off');
      if (whole.trim() === '' && calls.size === 0) throw new ModelError('nonsense', 'The answer of the model is empty');
      return { text: whole, calls: [...calls.values()].map((call, index) => ({ ...call, id: call.id || `call_${index}` })), tokens };
    },
  };
}

function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) return new ModelError('slow', 'The model did not answer in time');
  if (error instanceof APIConnectionError) return new ModelError('away', 'The model cannot be reached');
  if (error instanceof APIError && typeof error.status === 'number') {
    const busy = error.status === 408 || error.status === 409 || error.status === 429 || error.status >= 500;
    return new ModelError(busy ? 'away' : 'refused', `The model's server answered ${error.status}`);
  }
  if (error instanceof APIError) return new ModelError('away', "The model's server reported an error");
  // A socket that breaks while the answer comes; anything else is what could not be read.
  const broken = error instanceof TypeError || typeof (error as { code?: unknown }).code === 'string';
  return broken ? new ModelError('away', 'The connection to the model broke') : new ModelError('nonsense', 'The answer of the model cannot be read');
}
