/** The destination of an answer's bytes. The server creates one for each request, and a test may create its own. */
export interface ResponseSink {
  /** Called once, before anything else. */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /**
   * Returns false if the caller reads more slowly than the gateway writes. The writer should then wait for `onDrain`.
   */
  write(bytes: Buffer | string): boolean
  /** Ends the answer normally, after `last` if it is given. */
  end(last?: Buffer | string): void
  /**
   * Closes the connection without the end of the body that HTTP requires, so that no reader takes the body for
   * complete.
   */
  cut(): void
  /** Calls the listener whenever writing may continue. */
  onDrain(listener: () => void): void
  /** Calls the listener once if the caller disconnects before the answer ends; at once if that has happened. */
  onGone(listener: () => void): void
  /** Calls the listener once when the process must end and waits no longer. */
  onStop(listener: () => void): void
}
