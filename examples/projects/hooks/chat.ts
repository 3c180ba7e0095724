interface Context {
  readonly log: { info(details: object, message: string): void };
}

/** Posts a line in the chat at CHAT_URL. Without one, it is only logged. */
export async function postMessage({ text }: { readonly text: string }, { log }: Context): Promise<void> {
  const address = process.env.CHAT_URL;
  if (!address) return log.info({ text }, 'no chat');
  const response = await fetch(address, { method: 'POST', body: JSON.stringify({ text }) });
  if (!response.ok) throw { status: 502, code: 'chat-unavailable', message: 'The chat did not take the message.' };
}
