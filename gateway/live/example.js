/** Calls onEvent(name, data) for each live event until the signal is aborted. After a lost connection it resumes where it stopped. */
export async function followEvents(getToken, onEvent, signal) {
  let lastId;
  while (!signal.aborted) {
    try {
      const headers = { Authorization: `Bearer ${await getToken()}`, ...(lastId && { 'Last-Event-ID': lastId }) };
      const response = await fetch('/api/events', { headers, signal });
      if (!response.ok) throw new Error(`Status ${response.status}`);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ''; ; ) {
        const silence = setTimeout(() => reader.cancel(), 45_000); // a comment arrives every 15 seconds: the connection is lost
        const { done, value } = await reader.read().finally(() => clearTimeout(silence));
        if (done) break;
        const blocks = (text + value).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) {
          const { id, event, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)));
          if (!id) continue; // a heartbeat
          onEvent(event, JSON.parse(data));
          lastId = id;
        }
      }
    } catch {
      // The next attempt continues after lastId.
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}
