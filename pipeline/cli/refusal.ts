/** Something outside Kiln has to change before the command can do its work. The message is a sentence for the user. */
export class Refusal extends Error {}
