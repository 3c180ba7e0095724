/** A hook that responds has written a status of 400 or more: what it wrote is sent, and everything is rolled back. */
export class WrittenError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`a hook has responded with the status ${status}`);
    this.name = 'WrittenError';
    this.status = status;
  }
}
