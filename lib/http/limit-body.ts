// Limits the responses of other systems: one that is huge or never ends must not fill the memory or occupy the processor.

class ResponseTooLarge extends Error {
  constructor() {
    super('The response is too large');
    this.name = 'ResponseTooLarge';
  }
}

/** The response with a body that fails, and ends the connection, once it has more than `maxBytes`, counted after decompression. */
export function limitBody(response: Response, maxBytes: number): Response {
  if (!response.body) return response;
  let left = maxBytes;
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) throw new ResponseTooLarge();
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}
