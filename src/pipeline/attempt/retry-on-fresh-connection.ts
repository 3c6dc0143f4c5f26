import type { ResponseWriter } from '../response/response-writer.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'

/** One call; `isFresh` asks for a connection that was not used before. */
export type Run = (onNewConnection: true | undefined) => Promise<AttemptOutcome>

/**
 * Makes a call once more on a new connection where a kept one was dead: that tells nothing of whoever was asked. Not
 * where the caller has seen content, which another attempt showed.
 */
export async function retryOnFreshConnection(
  writer: Pick<ResponseWriter, 'hasContent'>,
  run: Run,
): Promise<AttemptOutcome> {
  const outcome = await run(undefined)
  return outcome.isStaleConnection && !writer.hasContent ? run(true) : outcome
}
