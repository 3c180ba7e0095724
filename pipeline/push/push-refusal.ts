/** Why a push, or what follows it, is not done. The message is a sentence for the user, without a full stop. */
export class PushRefusal extends Error {
  override readonly name = 'PushRefusal';
}
