// What every store of contents can do.

export type ObjectStore = {
  /** Stores the content, of `size` bytes, durably. Replaces what the key had. When it fails, the key may have a part of the content until it is deleted. */
  put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined when the key has none. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Also when the key has none. */
  delete(key: string): Promise<void>;
};
