// The interface of a store of contents.

export type ObjectStore = {
  /**
   * Stores a content of `size` bytes durably and replaces the former one. Throws when `content` fails, as it does when it has another size; a part of
   * it may then remain until the key is deleted.
   */
  put(key: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Returns undefined when the key has no content. The content must be read, or its iterator ended. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Does nothing when the key has no content. */
  delete(key: string): Promise<void>;
};
