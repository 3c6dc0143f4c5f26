/** The destination of an answer's bytes. The server makes one for each request; a test may make its own. */
export interface ResponseSink {
  /** Called once, before anything else. */
  start(status: number, headers: Readonly<Record<string, string>>): void
  /** False where the caller reads slower than we write: wait for `onDrain`. */
  write(bytes: Buffer | string): boolean
  /** Ends the answer normally, after `last` where it is given. */
  end(last?: Buffer | string): void
  /** Ends the connection without the end of the body that HTTP asks for, so that no reader takes it for whole. */
  cut(): void
  /** Called whenever writing may go on. */
  onDrain(listener: () => void): void
  /** Called once when the caller has gone before the answer ended. */
  onGone(listener: () => void): void
  /** Called once when the process must end and waits no longer. */
  onStop(listener: () => void): void
}
